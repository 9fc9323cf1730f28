// The properties panel of the editor: the fields of one object of a graph, all by the schema of graphs.
import { useEffect, useRef } from 'react';
import type { ReactElement } from 'react';
import { placeOf } from './document.ts';
import { argumentOf, at, isObject, same } from './schema.ts';
import type { Object, Path } from './schema.ts';
import { Mistakes, ObjectFields, Row, Select } from './fields/editors.tsx';
import { Scope } from './fields/scope.ts';
import type { Props } from './fields/scope.ts';
import { Space } from './fields/space.tsx';
import './fields.css';

export function Fields(props: Props): ReactElement {
    const { document, path } = props, value = at(document, path);
    const panel = useRef<HTMLDivElement>(null), focused = useRef<[Path, string]>(undefined);
    useEffect(() => {
        const [to, button] = focused.current ?? [], own = ['', '>.tools', '>.combo'];
        const rows = to === undefined ? [] : [...panel.current!.querySelectorAll<HTMLElement>('[data-path]')]
            .filter(row => row.dataset.path === placeOf(to));
        const find = (row: HTMLElement | undefined, query: string) =>
            row?.querySelector<HTMLElement>(query) ?? undefined;
        const desired = button && rows.map(row => find(row, own.map(part => `:scope${part}>${button}:enabled`).join()))
            .find(control => control !== undefined);
        (desired || find(rows.at(-1), ':is(input, select, textarea, button):enabled'))?.focus();
        focused.current = rows.length > 0 ? undefined : focused.current;
    });
    const edit: Props['edit'] = (to, next, merge) => {
        if (!same(at(document, to), next)) {
            props.edit(to, next, merge);
        }
    };
    const focus = (to: Path, button = '') => {
        focused.current = [to, button];
    };
    return (
        <Scope value={{ ...props, edit, focus }}>
            <div className="fields" ref={panel} data-path={placeOf(path)} key={JSON.stringify(path)}>
                {argumentOf(value) !== undefined
                    ? <Row path={path} node={props.schema.pose} value={value} name="argument" label="argument" />
                    : isObject(value) ? <Whole {...props} edit={edit} value={value} /> : <p>Nothing is here.</p>}
            </div>
        </Scope>
    );
}

function Whole({ schema, document, path, edit, value }: Props & { value: Object }): ReactElement {
    const fields = schema.fieldsAt(document, path);
    return <>
        {fields.some(({ name }) => name === 'op') && <div className="row"><span className="name">op</span>
            <Select label="op" value={String(value.op)} options={schema.operations}
                set={op => edit([...path, 'op'], op)} /></div>}
        <Mistakes path={path} value={value} parts />
        {(value.op === 'space1d' || value.op === 'space2d') && Array.isArray(value.inputs)
            && <Space path={path} pose={value} />}
        <ObjectFields path={path} value={value} label="" fields={fields} />
        {path.length === 0 && <section aria-label="Graph">
            <h3>Graph</h3>
            <ObjectFields path={path} value={value} label="graph" fields={fields} graph />
        </section>}
    </>;
}
