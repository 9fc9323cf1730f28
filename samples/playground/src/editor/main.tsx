// Opens what the address asks for in the editor.
import { load } from 'limber-animation';
import { createRoot } from 'react-dom/client';

import { Editor } from './editor.tsx';
import { openFirst } from './source.ts';
import './editor.css';

const root = createRoot(document.getElementById('editor')!);
try {
    const [limber, opened] = await Promise.all([load(), openFirst()]);
    const character = await fetch(opened.served ? 'served/character' : `data/${opened.character ?? 'mannequin'}.lmb`);
    if (!character.ok) {
        throw new Error(`The character cannot be had: ${character.status}`);
    }
    const bytes = await character.arrayBuffer();
    root.render(<Editor limber={limber} schema={JSON.parse(limber.schema)} opened={opened} bytes={bytes} />);
} catch (error) {
    root.render(<p role="alert">{String(error)}</p>);
}
