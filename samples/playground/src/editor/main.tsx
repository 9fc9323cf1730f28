// Opens what the address asks for in the editor.
import { createRoot } from 'react-dom/client';

import { loadLimber } from '../load.ts';
import { Editor } from './editor.tsx';
import { charactersOf, openFirst } from './source.ts';
import './editor.css';

const root = createRoot(document.getElementById('editor')!);
try {
    const [limber, opened] = await Promise.all([loadLimber(), openFirst()]);
    root.render(<Editor limber={limber} schema={JSON.parse(limber.schema)} opened={opened}
        {...await charactersOf(opened)} />);
} catch (error) {
    root.render(<p role="alert">{String(error)}</p>);
}
