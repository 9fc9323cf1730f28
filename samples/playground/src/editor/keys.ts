// Keys and the clipboard of the whole page, except where somebody types.
import { useEffect } from 'react';

import { copy, deleteSelected, paste, selectedPaths } from './change.ts';
import type { Page } from './page.ts';

interface Actions extends Page {
    save: () => void;
    add: () => void;
}

function isTyping(target: EventTarget | null): boolean {
    return target instanceof Element && target.closest('input, textarea, select, [contenteditable]') !== null;
}

function onClipboard(page: Actions, event: ClipboardEvent): void {
    const { document, diagram, operations, edit } = page, paths = selectedPaths(document, diagram);
    const text = event.clipboardData?.getData('text/plain');
    const remove = () => deleteSelected(document, operations, diagram, true);
    if (isTyping(event.target)) {
        return;
    }
    if (event.type === 'paste' && text) {
        event.preventDefault();
        edit(() => paste(document, operations, text));
    } else if (event.type !== 'paste' && paths.length > 0 && getSelection()?.isCollapsed !== false) {
        event.preventDefault();
        event.clipboardData?.setData('text/plain', copy(document, operations, paths));
        event.type === 'cut' && edit(remove);
    }
}

function onKey(page: Actions, event: KeyboardEvent): void {
    const { document, diagram, operations, edit, save, add } = page, paths = selectedPaths(document, diagram);
    const remove = () => edit(() => deleteSelected(document, operations, diagram));
    const key = event.key.toLowerCase(), isControl = event.ctrlKey || event.metaKey;
    const box = event.target instanceof HTMLElement && event.target.matches('.react-flow__node')
        ? diagram.boxes.find(({ id }) => id === (event.target as HTMLElement).dataset.id) : undefined;
    const opens = box && document.selected.includes(box.id) ? box.opens : undefined;
    const actions: Record<string, (() => unknown) | undefined> = isControl ? {
        z: () => (event.shiftKey ? document.redo() : document.undo()),
        y: () => document.redo(),
        s: save,
        d: paths.length > 0 ? () => edit(() => paste(document, operations, copy(document, operations, paths)))
            : undefined,
    } : { a: add, enter: opens && (() => document.open(opens)), delete: remove, backspace: remove };
    const action = actions[key];
    if (action && (!isTyping(event.target) || (isControl && key === 's'))) {
        event.preventDefault();
        action();
    }
}

export function useKeys(page: Actions): void {
    useEffect(() => {
        const listeners = new AbortController(), { signal } = listeners;
        (['copy', 'cut', 'paste'] as const).forEach(type => (
            addEventListener(type, event => onClipboard(page, event), { signal })));
        // Before the box under it is selected.
        addEventListener('keydown', event => onKey(page, event), { signal, capture: true });
        return () => listeners.abort();
    });
}
