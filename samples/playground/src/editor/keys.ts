// Keys and the clipboard of the whole page, except where somebody types.
import { useEffect } from 'react';

import { copy, deleteInMachine, deletePoses, paste } from './change.ts';
import type { Diagram, Operations } from './diagram.ts';
import type { GraphDocument } from './document.ts';
import type { Path } from './schema.ts';

interface Page {
    document: GraphDocument;
    diagram: Diagram;
    operations: Operations;
    edit: (change: () => void) => void;
    save: () => void;
    add: () => void;
}

function isTyping(target: EventTarget | null): boolean {
    return target instanceof Element && target.closest('input, textarea, select, [contenteditable]') !== null;
}

function selectedPaths({ document, diagram }: Page): Path[] {
    return diagram.boxes.filter(({ id, kind }) => document.selected.includes(id)
        && ['pose', 'use', 'state'].includes(kind)).map(({ path }) => path);
}

function remove({ document, diagram, operations }: Page, paths: Path[]): void {
    if (diagram.kind === 'machine') {
        deleteInMachine(document, document.view.slice(0, -1), paths, []);
    } else {
        deletePoses(document, operations, paths);
    }
}

function onClipboard(page: Page, event: ClipboardEvent): void {
    const { document, operations, edit } = page, paths = selectedPaths(page);
    const text = event.clipboardData?.getData('text/plain');
    if (isTyping(event.target)) {
        return;
    }
    if (event.type === 'paste' && text) {
        event.preventDefault();
        edit(() => paste(document, operations, text));
    } else if (event.type !== 'paste' && paths.length > 0 && getSelection()?.isCollapsed !== false) {
        event.preventDefault();
        event.clipboardData?.setData('text/plain', copy(document, operations, paths));
        event.type === 'cut' && edit(() => remove(page, paths));
    }
}

function onKey(page: Page, event: KeyboardEvent): void {
    const { document, diagram, operations, edit, save, add } = page, paths = selectedPaths(page);
    const key = event.key.toLowerCase(), isControl = event.ctrlKey || event.metaKey;
    const isBox = event.target instanceof Element && event.target.matches('.react-flow__node');
    const opens = isBox ? diagram.boxes.find(({ id }) => id === document.selected[0])?.opens : undefined;
    const actions: Record<string, (() => unknown) | undefined> = isControl ? {
        z: () => (event.shiftKey ? document.redo() : document.undo()),
        y: () => document.redo(),
        s: save,
        d: paths.length > 0 ? () => edit(() => paste(document, operations, copy(document, operations, paths)))
            : undefined,
    } : { a: add, enter: opens && (() => document.open(opens)) };
    const action = actions[key];
    if (action && (!isTyping(event.target) || (isControl && key === 's'))) {
        event.preventDefault();
        action();
    }
}

export function useKeys(page: Page): void {
    useEffect(() => {
        const listeners = new AbortController(), { signal } = listeners;
        (['copy', 'cut', 'paste'] as const).forEach(type => (
            addEventListener(type, event => onClipboard(page, event), { signal })));
        // Before the box under it is selected.
        addEventListener('keydown', event => onKey(page, event), { signal, capture: true });
        return () => listeners.abort();
    });
}
