// What can be added: a list that a few letters search.
import { useEffect, useRef, useState } from 'react';

import { addWishedState } from './canvas.tsx';
import type { Wish } from './canvas.tsx';
import { addPose, connect } from './change.ts';
import type { ClipsAndJoints } from './change.ts';
import { definitionsOf } from './diagram.ts';
import type { Operations } from './diagram.ts';
import { pointer } from './document.ts';
import type { GraphDocument } from './document.ts';

interface Props {
    wish: Wish;
    document: GraphDocument;
    operations: Operations;
    names: ClipsAndJoints;
    isMachine: boolean;
    edit: (change: () => void) => void;
    end: () => void;
}

interface Offer {
    name: string;
    about: string;
    add: () => void;
}

const NOT_FOUND = 4;

// Names that are what was typed come first, then those that begin with it.
function rankOf({ name, about }: Offer, words: string): number {
    const title = name.toLowerCase(), short = title.replace(/^(clip|use of) /, '');
    const isIn = (text: string) => words.split(/\s+/).every(word => text.includes(word));
    return title === words || short === words ? 0 : title.startsWith(words) || short.startsWith(words) ? 1
        : isIn(title) ? 2 : isIn(`${title} ${about.toLowerCase()}`) ? 3 : NOT_FOUND;
}

export function Add({ wish, document, operations, names, isMachine, edit, end }: Props) {
    const dialog = useRef<HTMLDialogElement>(null);
    const [search, setSearch] = useState(''), [index, setIndex] = useState(0);
    useEffect(() => dialog.current?.showModal(), []);

    const place = (pose: unknown, wish: Wish) => document.edit('add', () => {
        const path = addPose(document, operations, pose);
        wish.at && document.keep({ [pointer(path)]: [Math.round(wish.at.x), Math.round(wish.at.y)] });
        document.open(document.view, [path]);
        wish.port && connect(document, operations, path, wish.port);
    });
    const states = (pose: unknown, name: string) => addWishedState(document, wish, { name, pose });
    const add = (pose: unknown, name: string) => (isMachine ? states(pose, name) : place(pose, wish));
    const offers: Offer[] = [
        ...(isMachine ? [{
            name: 'state', about: 'A state in the rest pose.', add: () => addWishedState(document, wish),
        }] : []),
        ...names.clips.map(clip => ({
            name: `clip ${clip}`, about: isMachine ? 'A state that plays the clip.' : 'The clip, played in a loop.',
            add: () => add({ op: 'clip', clip, ...(isMachine ? {} : { play: true }) }, clip),
        })),
        ...operations.names.filter(op => op !== 'clip').map(op => ({
            name: op, about: operations.about(op), add: () => add(operations.create(op, names), op),
        })),
        ...definitionsOf(document).map(([name]) => ({
            name: `use of ${name}`, about: 'The definition.', add: () => add({ use: name }, name),
        })),
    ];
    const words = search.trim().toLowerCase();
    const found = offers.map(offer => ({ ...offer, rank: rankOf(offer, words) }))
        .filter(({ rank }) => rank < NOT_FOUND).sort((a, b) => a.rank - b.rank);
    const take = (offer?: Offer) => {
        offer && edit(offer.add);
        end();
    };
    const current = Math.min(index, found.length - 1);
    return (
        <dialog ref={dialog} className="add" aria-label="Add" onClose={end}
            onClick={event => event.target === dialog.current && end()}>
            <input type="search" role="combobox" aria-expanded="true" aria-controls="offers"
                aria-activedescendant={found.length > 0 ? `offer-${current}` : undefined}
                aria-label="Search what to add" autoFocus value={search}
                placeholder={isMachine ? 'A state: clip or operation' : 'A clip or operation'}
                onChange={event => {
                    setSearch(event.target.value);
                    setIndex(0);
                }}
                onKeyDown={event => {
                    const move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
                    if (move) {
                        event.preventDefault();
                        const next = (current + move + found.length) % found.length;
                        setIndex(next);
                        window.document.getElementById(`offer-${next}`)?.scrollIntoView({ block: 'nearest' });
                    } else if (event.key === 'Enter') {
                        take(found[current]);
                    }
                }} />
            <ul id="offers" role="listbox" aria-label="What can be added">
                {found.map((offer, i) => (
                    <li key={offer.name} id={`offer-${i}`} role="option" aria-selected={i === current}
                        onClick={() => take(offer)}>
                        <strong>{offer.name}</strong> {offer.about}
                    </li>))}
            </ul>
        </dialog>
    );
}
