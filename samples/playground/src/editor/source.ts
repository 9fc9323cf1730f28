// Where a document comes from, and where it is saved: a page of the playground, a link that holds it, a file, or the
// server of `limber serve`, which has the file that the viewer shows, too.
import { pages } from '../pages.ts';
import { GraphDocument } from './document.ts';
import type { Positions } from './document.ts';

export interface Opened {
    name: string;
    text: string;
    positions: Positions;
    character?: string; // of the site
    from?: Record<string, string>; // characters of the site whose clips it retargets, by the names in the graph
    script?: string;
    served?: Served;
    aliases?: object;
}

const fresh = `{"op": "machine", "name": "body", "states": [
  {"name": "stand", "pose": {"op": "clip", "clip": "idle"},
   "transitions": [{"to": "go", "when": {">": [{"param": "speed"}, 0.5]}}]},
  {"name": "go", "pose": {"op": "clip", "clip": "walk"},
   "transitions": [{"to": "stand", "when": {"<=": [{"param": "speed"}, 0.5]}}]}]}
`;

async function fetched(name: string): Promise<Response> {
    const response = await fetch(name, { cache: 'no-cache' });
    if (!response.ok) {
        throw new Error(`${name}: ${response.status}`);
    }
    return response;
}

// ---- A link holds the text, compressed.

async function through(bytes: BlobPart, stream: GenericTransformStream): Promise<ArrayBuffer> {
    return new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer();
}

export async function linkOf(document: GraphDocument): Promise<string> {
    const whole = JSON.stringify([document.text, document.toNames()]);
    const packed = await through(whole, new CompressionStream('deflate-raw'));
    const text = btoa(String.fromCharCode(...new Uint8Array(packed)));
    const link = new URL(location.href);
    link.hash = `graph=${text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')}`;
    return link.href;
}

async function fromLink(text: string): Promise<Opened> {
    const bytes = Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), c => c.charCodeAt(0));
    const json = new TextDecoder().decode(await through(bytes, new DecompressionStream('deflate-raw')));
    const [graph, positions] = JSON.parse(json) as [string, Positions];
    return { name: 'graph.json', text: graph, positions };
}

export function saveFile(name: string, content: BlobPart): void {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([content]));
    link.download = name;
    link.click();
    URL.revokeObjectURL(link.href);
}

// ---- The server.

// Its requests wait for each other, so that an older answer never says what the file is.
export class Served {
    readonly #tags = new Map<string, string>();
    #last: Promise<unknown> = Promise.resolve();

    // Returns the text of a file, if it is there and another one than before.
    read(name: string): Promise<string | undefined> {
        return this.#next(() => this.#read(name));
    }

    // Returns whether it was written: not if somebody else changed the file meanwhile. The next write replaces that.
    write(name: string, text: string): Promise<boolean> {
        return this.#next(() => this.#write(name, text));
    }

    // The next read returns the text, whatever it is.
    forget(name: string): void {
        this.#tags.delete(name);
    }

    #next<Answer>(request: () => Promise<Answer>): Promise<Answer> {
        const answer = this.#last.then(request);
        this.#last = answer.catch(() => {});
        return answer;
    }

    async #read(name: string): Promise<string | undefined> {
        const known = this.#tags.get(name);
        const response = await fetch(`served/${name}`, { cache: 'no-store',
            headers: known === undefined ? {} : { 'If-None-Match': known } });
        if (!response.ok) {
            if (response.status !== 304 && response.status !== 404) {
                throw new Error(`served/${name}: ${response.status}`);
            }
            return undefined;
        }
        this.#tags.set(name, response.headers.get('ETag') ?? '');
        return response.text();
    }

    async #write(name: string, text: string): Promise<boolean> {
        const known = this.#tags.get(name);
        const response = await fetch(`served/${name}`, { method: 'PUT', body: text,
            headers: known === undefined ? { 'If-None-Match': '*' } : { 'If-Match': known } });
        if (response.status !== 412 && !response.ok) {
            throw new Error(`served/${name}: ${response.status}`);
        }
        this.#tags.set(name, response.headers.get('ETag') ?? '');
        return response.ok;
    }

    // A file that a graph includes.
    async include(path: string): Promise<string | undefined> {
        const response = await fetch(`served/include/${path.split('/').map(encodeURIComponent).join('/')}`);
        return response.ok ? response.text() : undefined;
    }
}

async function fromServer(): Promise<Opened> {
    const served = new Served();
    const info = await (await fetched('served/info')).json() as { graph: string; names?: object };
    const positions = await served.read('positions');
    return {
        name: info.graph,
        text: (await served.read('graph'))!,
        positions: positions === undefined ? {} : JSON.parse(positions),
        served,
        aliases: info.names,
    };
}

async function fromPage(id: string): Promise<Opened> {
    const [text, script] = await Promise.all([`data/${id}.json`, `data/${id}.script`].map(async name => (
        (await fetched(name)).text())));
    return { name: `${id}.json`, text, positions: {}, script };
}

// Returns the bytes of what the graph plays: of the character, and of those that it retargets.
export async function charactersOf({ served, character = 'mannequin', from = {} }: Opened) {
    const bytesOf = async (name: string) => (await fetched(name)).arrayBuffer();
    const others = Object.entries(from).map(async ([name, other]) => (
        [name, await bytesOf(`data/${other}.lmb`)] as const));
    return { bytes: await bytesOf(served ? 'served/character' : `data/${character}.lmb`),
        others: await Promise.all(others) };
}

export async function openFirst(): Promise<Opened> {
    const asked = new URLSearchParams(location.search), link = /^#graph=(.*)$/.exec(location.hash);
    const id = asked.get('page'), { character, from } = pages.find(page => page.id === id) ?? {};
    const opened = link ? fromLink(link[1]) : asked.has('served') ? fromServer()
        : id ? fromPage(id) : { name: 'graph.json', text: fresh, positions: {} };
    return { character, from, ...await opened };
}
