// Masks, and levels of joints: a whole number for each joint that has its own; others take that of their parents.
import { useState } from 'react';
import type { ReactElement } from 'react';
import { argumentOf } from '../schema.ts';
import { NumberBox, Tool } from './controls.tsx';
import { Editor, Mistakes } from './editors.tsx';
import type { Part } from './editors.tsx';
import { useScope } from './scope.ts';

export function MaskEditor({ path, node, value, label }: Part): ReactElement {
    const { names: { joints, channels }, edit } = useScope(), [search, setSearch] = useState('');
    const mask = value as Record<string, unknown>, isMask = node.ref === 'mask', max = isMask ? 255 : 7;
    const root = isMask ? 0 : 7;
    const all = [...joints, ...(isMask ? channels : []).map(name => ({ name, parent: -1 }))];
    const keys = all.map(({ name }) => name in mask ? name : `${name}?` in mask ? `${name}?` : undefined);
    const shares: number[] = [], depths: number[] = [];
    all.forEach(({ parent }, i) => {
        const own = keys[i] === undefined ? undefined : mask[keys[i]];
        shares[i] = typeof own === 'number' ? own : shares[parent] ?? root;
        depths[i] = (depths[parent] ?? -1) + 1;
    });
    const inherited = (i: number) => shares[all[i].parent] ?? root;
    const set = (name: string, next: number | undefined, merge?: boolean) => edit([...path, name], next, merge);
    const toggle = (i: number) => {
        const next = shares[i] > 0 ? 0 : max, key = keys[i] ?? all[i].name;
        set(key, next === inherited(i) && keys[i] !== undefined ? undefined : next);
    };
    const others = Object.keys(mask).filter(name => !keys.includes(name));
    const found = all.map(({ name }, i) => i)
        .filter(i => search === '' || all[i].name.toLowerCase().includes(search.toLowerCase()));
    return (
        <div className="body">
            <details>
                <summary>{Object.entries(mask).map(([name, share]) => `${name} ${JSON.stringify(share)}`).join(', ')
                    || 'nothing'}</summary>
                <input type="search" aria-label={`${label}: search joints`} placeholder="Search joints" value={search}
                    onChange={event => setSearch(event.target.value)} />
                <ul className="joints">
                    {found.map(i => <Joint key={i} name={all[i].name} depth={search === '' ? depths[i] : 0} max={max}
                        isMask={isMask} own={keys[i] === undefined ? undefined : mask[keys[i]]} share={shares[i]}
                        path={[...path, keys[i] ?? all[i].name]} label={`${label} ${all[i].name}`}
                        toggle={() => toggle(i)} />)}
                </ul>
            </details>
            {others.map(name => <div className="row" key={name}><span className="name">{name}</span>
                <Editor path={[...path, name]} node={{ type: 'integer', minimum: 0, maximum: max }} value={mask[name]}
                    label={`${label} ${name}`} />
                <span className="tools"><Tool name="×" label={`Remove ${label} ${name}`}
                    act={() => set(name, undefined)} /></span></div>)}
        </div>
    );
}

function Joint({ name, depth, max, isMask, own, share, path, label, toggle }: {
    name: string; depth: number; max: number; isMask: boolean; own: unknown; share: number; path: (string | number)[];
    label: string; toggle: () => void;
}): ReactElement {
    const { edit } = useScope();
    return (
        <li className={own === undefined ? 'inherited' : ''} style={{ paddingLeft: `${depth * 0.7}rem` }}>
            {isMask && <input type="checkbox" aria-label={label} checked={share > 0} onChange={toggle} />}
            <span className="name">{name}</span>
            {argumentOf(own) !== undefined ? <Editor path={path} node={{}} value={own} label={label} />
                : <NumberBox value={own ?? share} min={0} max={max} whole slider={false} label={`${label}, share`}
                    clear={() => edit(path, undefined)}
                    set={(next, merge) => edit(path, next, merge)} />}
            {own !== undefined && <Tool name="×" label={`Remove ${label}`} act={() => edit(path, undefined)} />}
            <Mistakes path={path} value={own} parts={false} />
        </li>
    );
}
