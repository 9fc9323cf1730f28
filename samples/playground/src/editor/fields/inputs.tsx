// The inputs of a pose: what each has beside its pose.
import type { ReactElement } from 'react';
import { placeOf } from '../document.ts';
import { isObject } from '../schema.ts';
import type { Path } from '../schema.ts';
import { Tool } from './controls.tsx';
import { Mistakes, ObjectFields, useMove } from './editors.tsx';
import { useScope } from './scope.ts';

// What a pose is called: by its own name, its clip, its definition or its operation.
export function poseName(pose: unknown): string {
    const { name, clip, use, op } = isObject(pose) ? pose : {} as Record<string, unknown>;
    return [name, clip, use, op].find(one => typeof one === 'string' && one !== '') as string | undefined ?? 'pose';
}

export function Inputs({ path, inputs }: { path: Path; inputs: unknown[] }): ReactElement {
    const { schema, document, edit } = useScope(), { minItems = 0 } = schema.at(document, path);
    const move = useMove(path, inputs);
    return <>{inputs.map((input, i) => {
        const own = [...path, i], label = `input ${i + 1}`;
        return isObject(input) && (
            <section key={i} aria-label={label} data-path={placeOf(own)}>
                <h3>{i + 1}: {poseName(input.pose)}
                    <span className="tools">
                        <Tool name="↑" kind="up" label={`Move ${label} up`} disabled={i === 0}
                            act={() => move(i, -1)} />
                        <Tool name="↓" kind="down" label={`Move ${label} down`}
                            disabled={i === inputs.length - 1} act={() => move(i, 1)} />
                        <Tool name="×" label={`Remove ${label}`} disabled={inputs.length <= minItems}
                            act={() => edit(own, undefined)} />
                    </span>
                </h3>
                <Mistakes path={own} value={input} parts />
                <ObjectFields path={own} value={input} label={label} fields={schema.fieldsAt(document, own)} />
            </section>
        );
    })}</>;
}
