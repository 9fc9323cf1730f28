// The buttons of the page.
import type { GraphDocument } from './document.ts';
import { linkOf, saveFile } from './source.ts';

interface Props {
    name: string;
    character: string;
    isOwn: boolean; // whether the character is a file that was opened
    isChanged: boolean;
    document: GraphDocument;
    boxes: string[];
    found: string[];
    search: string;
    showsText: boolean;
    open: (files: File[]) => void;
    save: () => void;
    savePack: () => void;
    add: () => void;
    setSearch: (text: string) => void;
    showText: (shows: boolean) => void;
    say: (text: string) => void;
}

const positionsName = (name: string) => name.replace(/(\.json)?$/, '.positions.json');

export function Toolbar(props: Props) {
    const { name, document, found, search, showsText, say } = props, { undoes, redoes } = document;
    const link = async () => {
        const address = await linkOf(document);
        history.replaceState(null, '', address);
        await navigator.clipboard?.writeText(address).catch(() => {});
        say(`The address holds the graph${props.isOwn ? `, but not ${props.character}` : ''}.`);
    };
    return (
        <header>
            <h1>{name}{props.isChanged ? ' *' : ''} <small>{props.character}</small></h1>
            <label className="file">Open
                <input type="file" multiple aria-label="Open graphs, machines, characters or scripts"
                    onChange={event => props.open([...event.target.files ?? []])} />
            </label>
            <button onClick={props.save}>Save</button>
            <button onClick={() => saveFile(positionsName(name), document.positionsText())}>Save positions</button>
            <button title="The character with this graph, as the core library reads it" onClick={props.savePack}>
                Save pack
            </button>
            <button disabled={!undoes} title={undoes && `Undo: ${undoes}`} onClick={() => document.undo()}>Undo</button>
            <button disabled={!redoes} title={redoes && `Redo: ${redoes}`} onClick={() => document.redo()}>Redo</button>
            <button onClick={props.add}>Add</button>
            <button onClick={() => document.arrange(props.boxes)}>Arrange</button>
            <button aria-pressed={showsText} onClick={() => props.showText(!showsText)}>Text</button>
            <button onClick={() => void link()}>Link</button>
            <input type="search" aria-label="Search" placeholder="Search" value={search}
                onChange={event => props.setSearch(event.target.value)}
                onKeyDown={event => event.key === 'Enter' && found.length > 0 && document.select(found)} />
            <a href="index.html">Playground</a>
        </header>
    );
}
