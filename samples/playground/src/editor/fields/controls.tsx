// Controls that know nothing of graphs: a text field with a list of suggestions, a number with a slider, a text.
import { useEffect, useId, useMemo, useRef, useState } from 'react';
import type { KeyboardEvent, ReactElement } from 'react';

export interface Option {
    value: string;
    text?: string; // what is shown, otherwise the value
    note?: string;
}

// Options of which all typed words are part, those first whose name is or begins with them.
function search(options: Option[], draft = ''): Option[] {
    const typed = draft.trim().toLowerCase();
    const hasAll = (text: string) => typed.split(/\s+/).every(word => text.includes(word));
    const rank = ({ value, text = value, note = '' }: Option) => {
        const name = ` ${text.toLowerCase()}`;
        return name.endsWith(` ${typed}`) ? 0 : name.includes(` ${typed}`) ? 1 : hasAll(name) ? 2
            : hasAll(`${name} ${note.toLowerCase()}`) ? 3 : Infinity;
    };
    return typed === '' ? options : options.map(option => ({ option, rank: rank(option) }))
        .filter(({ rank }) => rank < Infinity).sort((a, b) => a.rank - b.rank).map(({ option }) => option);
}

// Returns whether an edit continues the one before it: not the first one since `begin`.
export function useMerging(): { begin: () => void; next: () => boolean } {
    const merging = useRef(false);
    return useMemo(() => ({
        begin: () => {
            merging.current = false;
        },
        next: () => {
            const was = merging.current;
            merging.current = true;
            return was;
        },
    }), []);
}

// A combobox as the ARIA Authoring Practices describe it, with a listbox that what is typed filters. `only` takes no
// other text than the options, `add` looks like a button, and `open` begins with its list. `active` gets the option
// that is hovered or reached by arrow keys, for a preview.
export function Combo({ value, options, label, set, only = false, add = false, open: isOpen = false, active }: {
    value: string; options: Option[]; label: string; set: (value: string) => void; only?: boolean; add?: boolean;
    open?: boolean; active?: (value: string | undefined) => void;
}): ReactElement {
    const [draft, setDraft] = useState<string>();
    const [open, setOpen] = useState(isOpen);
    const [index, setIndex] = useState(-1);
    const id = useId();
    const shown = useMemo(() => search(options, draft), [options, draft]);
    useEffect(() => {
        document.getElementById(`${id}${index}`)?.scrollIntoView({ block: 'nearest' });
    }, [id, index]);
    const highlight = (next: number) => {
        setIndex(next);
        active?.(shown[next]?.value);
    };
    const close = () => {
        setOpen(false);
        setDraft(undefined);
        highlight(-1);
    };
    const choose = (text: string | undefined) => {
        close();
        if (text !== undefined && text !== value && text !== '') {
            set(text);
        }
    };
    const press = (event: KeyboardEvent) => {
        const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
        if (step !== undefined) {
            setOpen(true);
            highlight(shown.length === 0 ? -1 : (index + step + (index < 0 && step < 0 ? 1 : 0) + shown.length)
                % shown.length);
        } else if (event.key === 'Enter' && (open || draft !== undefined)) {
            choose(shown[index]?.value ?? (only ? shown[0]?.value : draft));
        } else if (event.key === 'Escape' && open && !isOpen) {
            close();
        } else {
            return;
        }
        event.preventDefault();
        event.stopPropagation();
    };
    return (
        <div className="control combo">
            <input role="combobox" className={add ? 'add' : undefined} aria-label={label} aria-expanded={open}
                aria-controls={id} aria-activedescendant={index >= 0 ? `${id}${index}` : undefined}
                aria-autocomplete="list" autoComplete="off" spellCheck={false} placeholder={add ? label : undefined}
                autoFocus={isOpen} value={draft ?? value} onKeyDown={press} onClick={() => setOpen(true)}
                onFocus={event => event.target.select()}
                onBlur={() => choose(only ? undefined : draft)}
                onChange={event => {
                    setDraft(event.target.value);
                    setOpen(true);
                    highlight(-1);
                }} />
            <ul role="listbox" id={id} aria-label={label} hidden={!open || (shown.length === 0 && !add)}
                onPointerLeave={() => highlight(-1)}>
                {open && shown.length === 0 && draft !== undefined && add && <li>Nothing is found.</li>}
                {open && shown.map((option, i) => (
                    <li key={option.value} id={`${id}${i}`} role="option" aria-selected={i === index}
                        onPointerDown={event => event.preventDefault()} onPointerEnter={() => highlight(i)}
                        onClick={() => choose(option.value)}>
                        <span>{option.text ?? option.value}</span> <small>{option.note}</small>
                    </li>
                ))}
            </ul>
        </div>
    );
}

// A number as it is typed, and a slider where the range is small. An empty text clears it, if it may be cleared.
export function NumberBox({ value, min, max, whole = false, label, set, slider = true, clear }: {
    value: unknown; min?: number; max?: number; whole?: boolean; label: string; slider?: boolean; clear?: () => void;
    set: (value: number, merge: boolean) => void;
}): ReactElement {
    const [draft, setDraft] = useState<string>();
    const merging = useMerging();
    const span = max !== undefined && min !== undefined ? max - min : Infinity;
    const change = (text: string) => {
        const number = Number(text);
        if (text === '' && clear !== undefined) {
            clear();
        } else if (text !== '' && Number.isFinite(number) && number !== value) {
            set(number, merging.next());
        }
    };
    return (
        <span className="control number">
            <input type="number" step={whole ? 1 : 'any'} min={min} max={max} aria-label={label}
                value={draft ?? String(value ?? '')} onFocus={merging.begin} onBlur={() => setDraft(undefined)}
                onChange={event => {
                    setDraft(event.target.value);
                    change(event.target.value);
                }} />
            {slider && span <= 100 && (
                <input type="range" min={min} max={max} aria-label={`${label}, slider`}
                    step={whole ? 1 : span <= 2 ? 0.01 : span <= 20 ? 0.1 : 1}
                    value={typeof value === 'number' ? value : 0} onFocus={merging.begin}
                    onPointerDown={merging.begin} onPointerUp={merging.begin}
                    onChange={event => change(event.target.value)} />
            )}
        </span>
    );
}

// A text, which is set when it is left or by Enter.
export function TextBox({ value, label, set }: {
    value: string; label: string; set: (value: string) => void;
}): ReactElement {
    const [draft, setDraft] = useState<string>();
    const commit = () => {
        if (draft !== undefined && draft !== value) {
            set(draft);
        }
        setDraft(undefined);
    };
    return <input className="control" aria-label={label} value={draft ?? value} onBlur={commit}
        onChange={event => setDraft(event.target.value)} onKeyDown={event => event.key === 'Enter' && commit()} />;
}

export function Tool({ name, label, act, kind = '', pressed, disabled }: {
    name: string; label: string; act: () => void; kind?: string; pressed?: boolean; disabled?: boolean;
}): ReactElement {
    return <button type="button" className={`tool ${kind}`} title={label} aria-label={label} aria-pressed={pressed}
        disabled={disabled} onClick={act}>{name}</button>;
}
