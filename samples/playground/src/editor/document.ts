// The document: the text of a graph, where its boxes are drawn, what is open and selected, and what was before.
//
// The text alone counts. Every edit replaces the smallest part of it, so that whatever somebody else wrote stays as it
// is, but for the indents of what is moved, and undo gives back the same bytes. Boxes, selection and the open view are
// named by JSON pointers; an edit moves them along with the text that they stand for.
import { findNodeAtLocation, findNodeAtOffset, getNodePath, parseTree } from 'jsonc-parser';
import type { Node } from 'jsonc-parser';

import { at, isObject } from './schema.ts';
import type { Path } from './schema.ts';
import type { Served } from './source.ts';

// Replaces `length` characters at `offset`.
export interface Change {
    offset: number;
    length: number;
    text: string;
    moved?: Move[];
}

// What a change takes from elsewhere in the document, so that boxes move along: `at` is an offset in its text.
interface Move {
    from: number;
    length: number;
    at: number;
}

export interface Mark {
    name: string | undefined;
    readonly path: Path | undefined;
}

export type Positions = Record<string, [x: number, y: number]>;

// The file that a text was opened from.
export interface Origin {
    readonly name: string;
    readonly opened: number; // when, in milliseconds
    readonly served?: Served;
    saved: string; // what it has
}

interface State {
    origin: Origin;
    text: string;
    positions: Positions;
    view: string; // pointer to the pose or machine whose boxes are shown
    selected: string[];
}

// The outermost pose is "#", its first input "#/inputs/0/pose".
export function pointer(path: Path): string {
    return '#' + path.map(part => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

// Indices become numbers, which is wrong for a definition that is called "0"; `at()` takes both.
export function pathOf(text: string): Path {
    return text.split('/').slice(1).map(part => {
        const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
        return /^(0|[1-9]\d*)$/.test(name) ? Number(name) : name;
    });
}

// How the library's messages name a place: "base.inputs[1].pose".
export function placeOf(path: Path): string {
    return path.map((part, i) => (typeof part === 'number' ? `[${part}]` : `${i > 0 ? '.' : ''}${part}`)).join('');
}

const WIDTH = 114; // of a line, without the brackets that close

// The column after a text that begins at one.
function columnAfter(text: string, column = 0): number {
    const line = text.lastIndexOf('\n');
    return line < 0 ? column + text.length : text.length - line - 1;
}

const isPoses = (value: unknown): boolean => Array.isArray(value)
    && value.some(element => isObject(element) && Object.values(element).some(isObject));
const hasPoses = (value: unknown): boolean => isPoses(value)
    || (typeof value === 'object' && value !== null && Object.values(value).some(hasPoses));

// JSON with spaces as in the samples: on one line, or broken if it begins at a column where it does not fit. A list of
// poses or states has a line for each. `indent` is that of the line in which it begins.
export function write(value: unknown, column = -Infinity, indent = 0): string {
    if (value === null || typeof value !== 'object') {
        return JSON.stringify(value);
    }
    const isList = Array.isArray(value), members = Object.entries(value).filter(([, member]) => member !== undefined);
    const names = members.map(([name]) => (isList ? '' : `${JSON.stringify(name)}: `));
    const parts = members.map(([, member], i) => names[i] + write(member)), line = parts.join(', ');
    let inside = line;
    if (column + line.length + 2 > WIDTH || (column >= 0 && hasPoses(value))) {
        const isTall = isList && members.some(([, member]) => isObject(member));
        const begin = isTall ? indent + 2 : column + 1, gap = `\n${' '.repeat(begin)}`;
        inside = isTall ? gap : '';
        members.forEach(([, member], i) => {
            const after = columnAfter(inside, begin) + 2;
            const isNew = isTall || after + (isPoses(member) ? names[i] : parts[i]).length + 1 > WIDTH;
            inside += (i === 0 ? '' : isNew ? `,${gap}` : ', ') + names[i];
            inside += write(member, columnAfter(inside, begin), inside.includes('\n') ? begin : indent);
        });
    }
    return isList ? `[${inside}]` : `{${inside}}`;
}

// A text, what writes it for the column where it begins and the indent of that line, or a part of the document.
type Text = string | ((column: number, indent: number) => string) | Node;

export const indentOf = (line: string) => line.length - line.trimStart().length;

// Boxes that are no object of the text have a word before the pointer, "any:#", or a name, "out:walk".
function split(name: string): [prefix: string, inner: string] {
    const found = /^([a-z]+:)(.*)$/.exec(name);
    return found ? [found[1], found[2]] : ['', name];
}

function renamed(positions: Positions, rename: (path: Path) => Path): Positions {
    const entries = Object.entries(positions).map(([name, position]) => {
        const [prefix, inner] = split(name);
        return [prefix + (inner.startsWith('#') ? pointer(rename(pathOf(inner))) : inner), position] as const;
    });
    return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

const end = (node: Node) => node.offset + node.length;

function newOffset(old: number, changes: Change[]): number | undefined {
    let shift = 0;
    for (const { offset, length, text, moved } of changes) {
        const move = moved?.find(({ from, length }) => old >= from && old < from + length);
        if (move) {
            return offset + shift + move.at + old - move.from;
        }
        shift += text.length - length;
    }
    shift = 0;
    for (const { offset, length, text } of changes) {
        if (old < offset) {
            break;
        }
        if (old < offset + length) {
            return old === offset && text !== '' ? offset + shift : undefined; // another value in its place, or none
        }
        shift += text.length - length;
    }
    return old + shift;
}

const textOf = (value: unknown): Text | undefined => (value === undefined ? undefined
    : (column, indent) => write(value, column, indent));

export class GraphDocument {
    tree: Node | undefined; // of the last text; undefined if it is no JSON
    value: unknown; // what the text says
    #state: State;
    #before: { state: State; label: string }[] = [];
    #after: { state: State; label: string }[] = [];
    #merge: string | undefined;
    #marks = new Set<Mark>();
    #inside = false; // of edit()
    #listeners = new Set<() => void>();
    version = 0; // counts changes of any kind

    constructor(text: string, positions: Positions = {}, origin: Origin = { name: '', opened: 0, saved: text }) {
        this.#state = { origin, text, positions: {}, view: '#', selected: [] };
        this.#parse();
        this.#state.positions = this.#fromNames(positions);
    }

    get origin(): Origin { return this.#state.origin; }
    get text(): string { return this.#state.text; }
    get positions(): Positions { return this.#state.positions; }
    get view(): Path { return pathOf(this.#state.view); }
    get selected(): string[] { return this.#state.selected; }
    get undoes(): string | undefined { return this.#before.at(-1)?.label; }
    get redoes(): string | undefined { return this.#after.at(-1)?.label; }

    subscribe = (listener: () => void): (() => void) => {
        this.#listeners.add(listener);
        return () => this.#listeners.delete(listener);
    };

    at(path: Path): Node | undefined {
        return this.tree && findNodeAtLocation(this.tree, path.map((part, i) => {
            const parent = typeof part === 'number' ? findNodeAtLocation(this.tree!, path.slice(0, i)) : undefined;
            return parent?.type === 'object' ? String(part) : part;
        }));
    }

    get(path: Path): unknown {
        return at(this.value, path);
    }

    source(path: Path): string {
        const node = this.at(path);
        return node ? this.text.slice(node.offset, end(node)) : '';
    }

    // ---- What is shown, without a step of undo.

    open(path: Path, selected: Path[] = []): void {
        this.#show({ ...this.#state, view: pointer(path), selected: selected.map(pointer) });
    }

    select(selected: string[]): void {
        if (selected.join() !== this.selected.join()) {
            this.#show({ ...this.#state, selected });
        }
    }

    // ---- Edits.

    // Makes one step of undo of everything that `change` applies, also in edits inside. Edits in a row with the same
    // `merge` are one step. If it throws, nothing has changed.
    edit(label: string, change: () => void, merge?: string): void {
        if (this.#inside) {
            change();
            return;
        }
        const old = { state: this.#state, before: [...this.#before], after: this.#after, merge: this.#merge };
        this.#remember(label, merge);
        this.#inside = true;
        try {
            change();
        } catch (error) {
            this.#state = old.state;
            this.#before = old.before;
            this.#after = old.after;
            this.#merge = old.merge;
            this.#parse();
            throw error;
        } finally {
            this.#inside = false;
            this.#marks.clear();
            this.#forgetNothing();
            this.#notify();
        }
    }

    // Names a place for as long as an edit lasts: its path is that after all changes, undefined if it is gone.
    mark(path: Path): Mark {
        const mark: Mark = {
            name: pointer(path),
            get path() { return this.name === undefined ? undefined : pathOf(this.name); },
        };
        this.#marks.add(mark);
        return mark;
    }

    // Applies changes that do not overlap.
    apply(changes: Change[]): void {
        const sorted = [...changes].sort((a, b) => a.offset - b.offset);
        const text = sorted.reduceRight((whole, change) => (
            whole.slice(0, change.offset) + change.text + whole.slice(change.offset + change.length)), this.text);
        const old = this.#state, oldTree = this.tree;
        this.#state = { ...old, text };
        this.#parse();
        if (this.tree && oldTree) {
            const map = (name: string) => this.#moved(name, oldTree, sorted);
            const positions = Object.entries(old.positions).map(([name, position]) => [map(name), position] as const);
            this.#state.positions = positions.every(([name], i) => name === Object.keys(old.positions)[i])
                ? old.positions : Object.fromEntries(positions.filter(([name]) => name !== undefined));
            this.#state.selected = old.selected.map(map).filter(name => name !== undefined);
            this.#state.view = map(old.view) ?? this.#nearest(old.view);
            this.#marks.forEach(mark => (mark.name = mark.name === undefined ? undefined : map(mark.name)));
        }
    }

    // Sets a field or an element, or inserts it if it is not there; undefined removes it.
    set(path: Path, value: unknown): void {
        this.apply(this.setting(path, textOf(value)));
    }

    // Moves a value to a place, whose value it replaces if there is one. `leaves` is put where it was; undefined
    // removes the field or element.
    move(from: Path, to: Path, leaves?: unknown): void {
        const node = this.at(from)!, place = this.at(to), setting = this.setting(to, node);
        const isInside = place !== undefined && node.offset >= place.offset && end(node) <= end(place);
        const leaving = isInside ? [] : this.setting(from, textOf(leaves));
        this.apply([...setting, ...leaving]);
    }

    // The change that sets a field, or inserts an element; undefined removes it, a node moves there.
    setting(path: Path, text: Text | undefined): Change[] {
        const node = this.at(path);
        if (text === undefined) {
            return node?.parent ? [this.#removal(node.parent.type === 'property' ? node.parent : node)] : [];
        }
        if (node) {
            return [{ offset: node.offset, length: node.length, ...this.#written(text, this.lineTo(node.offset)) }];
        }
        const parent = this.at(path.slice(0, -1));
        if (!parent?.children) {
            throw new Error(`${placeOf(path)}: there is nothing to put it into`);
        }
        const name = parent.type === 'object' ? `${JSON.stringify(String(path.at(-1)))}: ` : '';
        return [this.#insertion(parent, name, text)];
    }

    // Inserts an element before that of an index.
    inserting(list: Path, index: number, text: string): Change[] {
        const next = this.at([...list, index]), parent = this.at(list);
        if (!next || !parent) {
            return this.setting([...list, index], text);
        }
        return [{ offset: next.offset, length: 0, text: `${text},${this.gap(parent)}` }];
    }

    // Replaces the whole text, as somebody typed it or a file has it: the part that differs.
    replace(text: string): void {
        const old = this.text, limit = Math.min(old.length, text.length);
        let start = 0, stop = 0;
        while (start < limit && old[start] === text[start]) {
            start++;
        }
        while (stop < limit - start && old[old.length - 1 - stop] === text[text.length - 1 - stop]) {
            stop++;
        }
        this.apply([{ offset: start, length: old.length - stop - start, text: text.slice(start, text.length - stop) }]);
    }

    // Notes what a file has now.
    save(text: string, origin: Origin): void {
        origin.saved = text;
        this.#notify();
    }

    // Shows another document. One step of undo, which also goes back to the file before.
    load(text: string, label: string, origin: Origin): void {
        this.#remember(label);
        this.#state = { origin, text, positions: {}, view: '#', selected: [] };
        this.#parse();
        this.#notify();
    }

    positionsText(): string {
        return `${JSON.stringify(this.toNames(), null, 1)}\n`;
    }

    // Places boxes as a file says that toNames() has written.
    placeNamed(named: Positions): void {
        this.place(this.#fromNames(named), 'place');
    }

    place(moved: Positions, label = 'move'): void {
        this.#remember(label);
        this.#show({ ...this.#state, positions: { ...this.positions, ...moved } });
    }

    // Keeps where boxes are seen, also those that nobody has moved. No step of undo.
    keep(seen: Positions): void {
        if (Object.entries(seen).every(([name, at]) => this.positions[name] === at)) {
            return;
        }
        this.#state = { ...this.#state, positions: { ...this.positions, ...seen } };
    }

    // Forgets where the boxes of some names are, so that they are arranged.
    arrange(names: string[]): void {
        this.#remember('arrange');
        const kept = Object.entries(this.positions).filter(([name]) => !names.includes(name));
        this.#show({ ...this.#state, positions: Object.fromEntries(kept) });
    }

    undo(): void { this.#step(this.#before, this.#after); }
    redo(): void { this.#step(this.#after, this.#before); }

    // ---- Positions in a file name states and inputs by their names where they have some, as indices change.

    toNames(): Positions {
        return renamed(this.positions, path => path.map((part, i) => {
            const element = typeof part === 'number' && this.at([...path.slice(0, i + 1), 'name']);
            return element && element.type === 'string' ? element.value : part;
        }));
    }

    #fromNames(named: Positions): Positions {
        return renamed(named, names => names.reduce<Path>((path, part) => {
            const list = this.at(path);
            const index = list?.type === 'array' && typeof part === 'string'
                ? list.children!.findIndex(child => findNodeAtLocation(child, ['name'])?.value === part) : -1;
            return [...path, index >= 0 ? index : part];
        }, []));
    }

    // ---- Parts.

    #parse(): void {
        const errors: import('jsonc-parser').ParseError[] = [];
        const tree = parseTree(this.text, errors, { disallowComments: true });
        this.tree = errors.length === 0 && tree?.type === 'object' ? tree : undefined;
        this.value = this.tree && JSON.parse(this.text);
    }

    // A step that changed nothing is no step.
    #forgetNothing(): void {
        const last = this.#before.at(-1)?.state;
        if (last && last.text === this.text && last.positions === this.positions) {
            this.#before.pop();
        }
    }

    #remember(label: string, merge?: string): void {
        if (merge === undefined || merge !== this.#merge) {
            this.#before.push({ state: this.#state, label });
        }
        this.#merge = merge;
        this.#after = [];
    }

    #step(from: { state: State; label: string }[], to: { state: State; label: string }[]): void {
        const step = from.pop();
        if (step) {
            to.push({ state: this.#state, label: step.label });
            this.#state = step.state;
            this.#merge = undefined;
            this.#parse();
            this.#notify();
        }
    }

    #show(state: State): void {
        this.#state = state;
        this.#notify();
    }

    #notify(): void {
        this.version++;
        this.#listeners.forEach(listener => listener());
    }

    // Where the pointer of an old tree leads after changes; undefined if what it stands for is gone.
    #moved(name: string, oldTree: Node, changes: Change[]): string | undefined {
        const [prefix, inner] = split(name);
        if (prefix) {
            const moved = inner.startsWith('#') ? this.#moved(inner, oldTree, changes) : inner;
            return moved === undefined ? undefined : prefix + moved;
        }
        const old = name === '#' ? oldTree : findNodeAtLocation(oldTree, pathOf(name));
        const offset = old && newOffset(old.offset, changes);
        return offset === undefined ? undefined : this.#beginning(offset);
    }

    // The pointer to the value that begins at an offset.
    #beginning(offset: number): string | undefined {
        const node = findNodeAtOffset(this.tree!, offset);
        return node && node.offset === offset ? pointer(getNodePath(node)) : undefined;
    }

    // The nearest pose or machine around a place that is gone.
    #nearest(name: string): string {
        const path = pathOf(name);
        while (path.length > 0 && !['object', 'array'].includes(this.at(path)?.type ?? '')) {
            path.pop();
        }
        return pointer(path);
    }

    #removal(node: Node): Change {
        const siblings = node.parent!.children!, index = siblings.indexOf(node);
        const next = siblings[index + 1], previous = siblings[index - 1];
        if (next) {
            return { offset: node.offset, length: next.offset - node.offset, text: '' };
        }
        const begin = previous ? end(previous) : node.offset;
        return { offset: begin, length: end(node) - begin, text: '' };
    }

    // What stands in a line before an offset.
    lineTo(offset: number): string {
        return this.text.slice(this.text.lastIndexOf('\n', offset - 1) + 1, offset);
    }

    // A text as it is written after other lines. `at` is where it begins in what a change writes.
    #written(text: Text, lines: string, at = 0): { text: string; moved?: Move[] } {
        const line = lines.slice(lines.lastIndexOf('\n') + 1);
        return typeof text === 'string' ? { text }
            : typeof text === 'function' ? { text: text(line.length, indentOf(line)) } : this.moving(text, line, at);
    }

    // A part of the document as it is written after other lines, with its further lines indented anew: aligned with its
    // beginning if they were, otherwise two columns right of the line in which it begins.
    moving({ offset, length }: Pick<Node, 'offset' | 'length'>, lines: string, at = 0) {
        const line = lines.slice(lines.lastIndexOf('\n') + 1);
        const old = this.lineTo(offset), [first, ...others] = this.text.slice(offset, offset + length).split('\n');
        const least = Math.min(...others.filter(other => other.trim() !== '').map(indentOf));
        const isBelow = least > old.length && least !== indentOf(old) + 2;
        const shift = isBelow ? line.length - old.length : indentOf(line) + 2 - least;
        const moved = [{ from: offset, length: first.length, at }];
        let text = first, from = offset + first.length + 1;
        for (const other of others) {
            const isBlank = other.trim() === '', indent = isBlank ? 0 : indentOf(other);
            text += `\n${isBlank ? '' : ' '.repeat(Math.max(indent + shift, 1))}`;
            moved.push({ from: from + indent, length: other.length - indent, at: at + text.length });
            text += other.slice(indent);
            from += other.length + 1;
        }
        return { text, moved };
    }

    // Spaces or a line break with its indent, as between the elements that there are.
    gap(parent: Node): string {
        const [first, second] = parent.children!;
        const begin = second ? end(first) : parent.offset + 1;
        const between = first ? this.text.slice(begin, second ? second.offset : first.offset) : '';
        const line = /\r?\n[ \t]*$/.exec(between);
        return line ? line[0] : ' ';
    }

    // What is empty and will grow begins a line, and so does what would make one too long: below the first element, or
    // further left if need be.
    #insertion(parent: Node, name: string, text: Text): Change {
        const [first] = parent.children!, last = parent.children!.at(-1), offset = last ? end(last) : parent.offset + 1;
        const whole = typeof text === 'string' ? text : typeof text === 'function' ? text(-Infinity, 0)
            : this.text.slice(text.offset, end(text));
        const length = name.length + whole.length, isEmpty = whole === '[]' || whole === '{}';
        let gap = this.gap(parent);
        if (first && gap === ' ' && (isEmpty || this.lineTo(offset).length + length > WIDTH)) {
            const line = this.lineTo(first.offset);
            gap = `\n${' '.repeat(line.length + length > WIDTH ? indentOf(line) + 2 : line.length)}`;
        }
        const before = (last ? `,${gap}` : '') + name;
        const { text: after, moved } = this.#written(text, this.lineTo(offset) + before, before.length);
        return { offset, length: 0, text: before + after, moved };
    }
}
