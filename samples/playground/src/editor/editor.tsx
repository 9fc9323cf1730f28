// The editor: a document, the diagram of what is open, the picture of what runs, and the fields of what is selected.
import { ReactFlowProvider } from '@xyflow/react';
import type { Limber, Problem } from 'limber-animation';
import { useCallback, useDeferredValue, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';

import { Add } from './add.tsx';
import { Canvas } from './canvas.tsx';
import type { Wish } from './canvas.tsx';
import { Operations, crumbs, diagramOf, viewOf } from './diagram.ts';
import { GraphDocument, placeOf } from './document.ts';
import { Fields } from './fields.tsx';
import { useKeys } from './keys.ts';
import { arrange } from './layout.ts';
import { namesFor } from './names.ts';
import type { Mistake } from './names.ts';
import type { Page } from './page.ts';
import { Panel } from './panel.tsx';
import { Preview } from './preview.ts';
import { Running, TimeLine, showWeights } from './running.tsx';
import { isObject } from './schema.ts';
import type { Path } from './schema.ts';
import { saveFile } from './source.ts';
import type { Opened, Served } from './source.ts';
import { Toolbar } from './toolbar.tsx';

interface Props {
    limber: Limber;
    schema: any;
    opened: Opened;
    bytes: ArrayBuffer; // of the character
    others: (readonly [name: string, bytes: ArrayBuffer])[]; // whose clips graphs retarget
}

// Reads the files that a graph includes, and those that these include, from the server.
async function readIncluded(preview: Preview, value: unknown, served?: Served): Promise<void> {
    const include = isObject(value) && Array.isArray(value.include) ? value.include : [];
    for (const path of include.filter(path => typeof path === 'string' && !preview.files.has(path))) {
        const text = await served?.include(path);
        if (text !== undefined) {
            preview.files.set(path, text);
            await readIncluded(preview, parsed(text), served);
        }
    }
}

function parsed(text: string): unknown {
    try {
        return JSON.parse(text);
    } catch {
        return undefined; // the library says what is wrong
    }
}

function counted(n: number, what: string): string {
    return n === 0 ? 'No mistakes' : `${n} ${what}${n === 1 ? '' : 's'}`;
}

export function Editor({ limber, schema, opened, bytes, others }: Props) {
    const operations = useMemo(() => new Operations(schema), [schema]);
    const [document] = useState(() => {
        const { text, positions, name, served } = opened;
        const document = new GraphDocument(text, positions, { name, opened: 0, served, saved: text });
        document.open(viewOf(document, []));
        return document;
    });
    const version = useSyncExternalStore(document.subscribe, () => document.version);
    const file = document.origin, { served } = file, isChanged = document.text !== file.saved;
    const [preview, setPreview] = useState<Preview>();
    const [said, say] = useState('');
    const [wish, setWish] = useState<Wish>();
    const [search, setSearch] = useState('');
    const [showsText, showText] = useState(false);
    const [character, setCharacter] = useState<number>(); // whose values are set; otherwise all
    const [own, setOwn] = useState<string>(); // a file with a character that was opened
    const canvas = useRef<HTMLCanvasElement>(null);

    const attempt = useCallback((edit: () => void) => {
        try {
            edit();
            say('');
        } catch (error) {
            say(error instanceof Error ? error.message : String(error));
        }
    }, []);

    // ---- The picture.

    useEffect(() => {
        const made = new Preview(limber, canvas.current!, limber.open(bytes));
        made.aliases = opened.aliases;
        made.others = Object.fromEntries(others.map(([name, bytes]) => [name, limber.open(bytes)]));
        opened.script !== undefined && made.load(opened.script);
        setPreview(made);
        return () => made.destroy();
    }, [limber, bytes]);
    const [checked, setChecked] = useState<{ problems: Problem[]; warnings: Problem[] }>(
        { problems: [], warnings: [] });
    useEffect(() => {
        let isLast = true;
        const show = async () => {
            await readIncluded(preview!, document.value, served);
            if (isLast) {
                preview!.show(document.text);
                setChecked({ problems: preview!.problems, warnings: preview!.warnings });
            }
        };
        preview && void show();
        return () => {
            isLast = false;
        };
    }, [preview, document.text]);
    const mistakes = useMemo<Mistake[]>(() => [
        ...checked.problems.map(({ path, message }) => ({ path, message, warning: false })),
        ...checked.warnings.map(({ path, message }) => ({ path, message, warning: true })),
    ], [checked]);

    // ---- The diagram.

    const view = document.view;
    const diagram = useMemo(() => diagramOf(document, operations, view), [document, document.text, view.join('/')]);
    const positions = useMemo(() => arrange(diagram, document.positions), [diagram, document.positions]);
    // Boxes stay where they are seen, whatever an edit changes.
    const edit = (change: () => void) => attempt(() => {
        document.keep(positions);
        change();
    });
    const searched = useDeferredValue(search.toLowerCase());
    const found = useMemo(() => new Set(searched === '' ? [] : diagram.boxes.filter(({ title, lines }) => (
        [title, ...lines].some(text => text.toLowerCase().includes(searched)))).map(({ id }) => id)),
    [diagram, searched]);
    const names = preview && namesFor(preview, document);
    const clipsAndJoints = { clips: names?.clips.map(({ name }) => name) ?? [],
        joints: names?.joints.map(({ name }) => name) ?? [] };

    const page: Page = { document, diagram, operations, names: clipsAndJoints, edit };
    type Instead = (path: Path, value: unknown, merge?: boolean) => boolean;
    const fields = (path: Path, instead?: Instead) => names && document.tree && (
        <Fields schema={operations.schema} document={document.value} path={path} names={names} mistakes={mistakes}
            look={clip => preview.look(clip)}
            edit={(path, value, merge) => edit(() => {
                if (!instead?.(path, value, merge)) {
                    document.edit(`set ${placeOf(path.slice(-1))}`, () => document.set(path, value),
                        merge ? path.join('/') : undefined);
                }
            })} />
    );

    useEffect(() => preview?.subscribe(() => showWeights(preview, character ?? 0)), [preview, character]);

    // ---- Files.

    const open = (name: string, text: string, saved = text) => attempt(() => {
        if (!new GraphDocument(text).tree) {
            throw new Error(`${name} is no JSON object.`);
        }
        document.load(text, `open ${name}`, { name, opened: performance.now(), saved });
        document.open(viewOf(document, []));
    });
    const openFiles = async (files: Iterable<File>) => {
        for (const file of files) {
            if (file.name.endsWith('.positions.json')) {
                const text = await file.text();
                attempt(() => document.placeNamed(JSON.parse(text)));
            } else if (file.name.endsWith('.json')) {
                open(file.name, await file.text());
            } else if (file.name.endsWith('.script')) {
                const text = await file.text();
                attempt(() => preview?.load(text));
            } else if (/\.(machine|txt)$/.test(file.name)) {
                const text = await file.text(), name = file.name.replace(/\.\w+$/, '.json');
                attempt(() => preview && open(name, preview.machineJson(text), ''));
            } else {
                const bytes = await file.arrayBuffer();
                attempt(() => {
                    preview?.open(limber.open(bytes, { name: file.name }));
                    setOwn(file.name);
                    preview && setChecked({ problems: preview.problems, warnings: preview.warnings });
                });
            }
        }
    };
    const saveNow = async () => {
        const { text } = document;
        if (!served) {
            saveFile(file.name, text);
        } else if (!await served.write('graph', text)) {
            say(`${file.name} was changed by somebody else. Save again to replace it.`);
            return;
        } else {
            await served.write('positions', document.positionsText());
        }
        document.save(text, file);
        say('Saved.');
    };
    const savePack = () => attempt(() => {
        const name = file.name.replace(/\.json$/, '');
        saveFile(`${name}.lmb`, preview!.pack(name) as BlobPart);
    });
    const save = () => void saveNow().catch(error => say(String(error)));

    const add = () => setWish({});
    useKeys({ ...page, save, add });
    useEffect(() => {
        window.document.title = `${isChanged ? '* ' : ''}${file.name} - Limber editor`;
        const warn = (event: BeforeUnloadEvent) => isChanged && event.preventDefault();
        addEventListener('beforeunload', warn);
        return () => removeEventListener('beforeunload', warn);
    });

    // The server has what another program saved: it is shown, unless both changed.
    useEffect(() => {
        const timer = served && setInterval(async () => {
            const text = await served.read('graph').catch(error => void say(String(error)));
            if (document.origin !== file) {
                served.forget('graph'); // until this file is shown again
            } else if (text !== undefined && text !== file.saved && text !== document.text) {
                const isChanged = document.text !== file.saved;
                document.edit(isChanged ? 'load what somebody else saved' : 'load', () => document.replace(text));
                document.save(text, file);
                say(isChanged ? 'Somebody else saved the file: it was loaded, and undo gives yours back.' : 'Loaded.');
            }
        }, 1000);
        return () => clearInterval(timer);
    }, [served, file]);

    const errors = checked.problems.length;
    return (
        <div id="layout" onDragOver={event => event.preventDefault()} onDrop={event => {
            event.preventDefault();
            void openFiles(event.dataTransfer.files);
        }} data-version={version}>
            <Toolbar name={file.name} isChanged={isChanged} document={document} found={[...found]} search={search}
                character={own ?? opened.character ?? (served ? '' : 'mannequin')} isOwn={own !== undefined}
                boxes={diagram.boxes.map(({ id }) => id)} showsText={showsText} open={files => void openFiles(files)}
                save={save} savePack={savePack} add={add} setSearch={setSearch} showText={showText} say={say} />
            <p id="said" role="status">{said}</p>
            <main id="diagram" aria-label="Diagram">
                <nav aria-label="Where this is">
                    {crumbs(document, view).map(({ path, label }, i) => (
                        <button key={i} aria-current={path.join('/') === view.join('/') ? 'page' : undefined}
                            onClick={() => document.open(path)}>{label}</button>))}
                </nav>
                {showsText ? (
                    <textarea id="text" aria-label="The graph as JSON" spellCheck={false} value={document.text}
                        onChange={event => document.edit('type', () => document.replace(event.target.value), 'text')} />
                ) : document.tree ? (
                    <ReactFlowProvider>
                        <Canvas key={file.opened} {...page} positions={positions} mistakes={mistakes} found={found}
                            wish={setWish} />
                    </ReactFlowProvider>
                ) : <p className="error">The text is no JSON object: {checked.problems[0]?.message}</p>}
            </main>
            <section id="running" aria-label="What runs">
                <canvas ref={canvas} tabIndex={0}
                    aria-label="The characters. Drag, or press Ctrl and arrow keys, to turn the camera." />
                {preview && <TimeLine preview={preview} attempt={attempt} />}
                {preview && <Running preview={preview} character={character} setCharacter={setCharacter} />}
            </section>
            <section id="panel" className="fields" aria-label="Selection">
                <Panel {...page} fields={fields} />
            </section>
            <section id="mistakes" aria-label="Mistakes and warnings">
                <h2>{errors > 0 ? counted(errors, 'mistake') : counted(mistakes.length, 'warning')}</h2>
                <ul>
                    {[...checked.problems, ...checked.warnings].map(({ path, line, message }, i) => (
                        <li key={i} className={i < errors ? 'error' : ''}>
                            line {line}, {path || 'the graph'}: {message}
                        </li>))}
                </ul>
            </section>
            {wish && (
                <Add {...page} wish={wish} look={clip => preview?.look(clip)} end={() => setWish(undefined)} />)}
        </div>
    );
}
