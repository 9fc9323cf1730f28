// What can be added: a list that a few letters search.
import { useEffect, useRef } from 'react';

import { addWishedState } from './canvas.tsx';
import type { Wish } from './canvas.tsx';
import { addPose, connect } from './change.ts';
import { definitionsOf } from './diagram.ts';
import { pointer } from './document.ts';
import { Combo } from './fields/controls.tsx';
import type { Page } from './page.ts';

interface Props extends Page {
    wish: Wish;
    look: (clip?: string) => void;
    end: () => void;
}

export function Add({ wish, document, diagram, operations, names, edit, look, end }: Props) {
    const dialog = useRef<HTMLDialogElement>(null), isMachine = diagram.kind === 'machine';
    useEffect(() => {
        dialog.current?.showModal();
        return () => look();
    }, []);

    const place = (pose: unknown, wish: Wish) => document.edit('add', () => {
        const path = addPose(document, operations, pose);
        wish.at && document.keep({ [pointer(path)]: [Math.round(wish.at.x), Math.round(wish.at.y)] });
        document.open(document.view, [path]);
        wish.port && connect(document, operations, path, wish.port);
    });
    const states = (pose: unknown, name: string) => addWishedState(document, wish, { name, pose });
    const add = (pose: unknown, name: string) => (isMachine ? states(pose, name) : place(pose, wish));
    const offers: { name: string; about: string; add: () => void }[] = [
        ...(isMachine ? [{
            name: 'state', about: 'A state in the rest pose.', add: () => addWishedState(document, wish),
        }] : []),
        ...names.clips.map(clip => ({
            name: `clip ${clip}`, about: isMachine ? 'A state that plays the clip.' : 'The clip, played in a loop.',
            add: () => add({ op: 'clip', clip, ...(isMachine ? {} : { play: true }) }, clip),
        })),
        ...operations.names.filter(op => op !== 'clip').map(op => ({
            name: op, about: operations.schema.about(op), add: () => add(operations.create(op, names), op),
        })),
        ...definitionsOf(document).map(([name]) => ({
            name: `use of ${name}`, about: 'The definition.', add: () => add({ use: name }, name),
        })),
    ];
    return (
        <dialog ref={dialog} className="add fields" aria-label="Add" onClose={end}
            onClick={event => event.target === dialog.current && end()}>
            <Combo only add open value=""
                label={isMachine ? 'Add a state: clip or operation' : 'Add a clip or operation'}
                options={offers.map(({ name, about }) => ({ value: name, note: about }))}
                active={offer => look(/^clip (.*)/.exec(offer ?? '')?.[1])}
                set={chosen => {
                    edit(offers.find(({ name }) => name === chosen)!.add);
                    end();
                }} />
        </dialog>
    );
}
