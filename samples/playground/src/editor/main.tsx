// Opens what the address asks for in the editor.
import { load } from 'limber-animation';
import { createRoot } from 'react-dom/client';

import { Editor } from './editor.tsx';
import { charactersOf, openFirst } from './source.ts';
import './editor.css';

const root = createRoot(document.getElementById('editor')!);
try {
    const threads = Math.min(4, navigator.hardwareConcurrency); // one if the page is not isolated
    const [limber, opened] = await Promise.all([load({ threads }), openFirst()]);
    root.render(<Editor limber={limber} schema={JSON.parse(limber.schema)} opened={opened}
        {...await charactersOf(opened)} />);
} catch (error) {
    root.render(<p role="alert">{String(error)}</p>);
}
