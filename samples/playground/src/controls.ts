// Parts of pages: elements with text, sliders, meters with numbers, and a stick.
type Tags = HTMLElementTagNameMap;
export function add<Name extends keyof Tags>(parent: Element, name: Name, content = ''): Tags[Name] {
    const element = document.createElement(name);
    element.textContent = content;
    parent.append(element);
    return element;
}

export type Move = (value: number) => void;

// A slider whose value is shown with so many digits. `when` is "change" if it should apply only once it is let go.
// Returns what moves it.
export function addSlider(parent: Element, name: string, range: { min: number; max: number; step: number },
    value: number, digits: number, apply: Move, when: 'input' | 'change' = 'input'): Move {
    const label = add(parent, 'label', name);
    const slider = add(label, 'input'), output = add(label, 'output');
    const { min, max, step } = range;
    Object.assign(slider, { type: 'range', min: String(min), max: String(max), step: String(step) });
    slider.value = String(value);
    const show = () => (output.textContent = Number(slider.value).toFixed(digits));
    show();
    slider.addEventListener('input', show);
    slider.addEventListener(when, () => apply(Number(slider.value)));
    return moved => {
        slider.value = String(moved);
        show();
        apply(Number(slider.value));
    };
}

// Adds a row with a name, a meter and a number. Returns what sets them.
export function addMeter(table: HTMLTableElement, name: string, label: string): (value: number, text: string) => void {
    const row = add(table, 'tr');
    add(row, 'td', name);
    const meter = add(add(row, 'td'), 'meter'), cell = add(row, 'td');
    meter.setAttribute('aria-label', label);
    return (value, text) => {
        meter.value = value;
        cell.textContent = text;
    };
}

const KEYS: Record<string, [number, number]> = {
    ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1],
};
const WALK = 0.42; // how far keys push it; with Shift all the way

// A pad whose knob is dragged by mouse or touch. Arrow keys push it, too, except in the part of the page that scrolls.
export class Stick {
    right = 0; // both of a length of at most 1
    up = 0;
    readonly #pad: HTMLElement;
    readonly #knob: HTMLElement;
    readonly #held = new Set<string>();
    readonly #listeners = new AbortController();
    #runs = false;

    constructor(parent: Element, name: string) {
        const pad = add(parent, 'div'), { signal } = this.#listeners;
        this.#pad = pad;
        this.#knob = add(pad, 'span');
        pad.className = 'stick';
        pad.tabIndex = 0;
        Object.entries({ role: 'slider', 'aria-label': name, 'aria-valuemin': '0', 'aria-valuemax': '100' })
            .forEach(([attribute, value]) => pad.setAttribute(attribute, value));
        const drag = (event: PointerEvent) => {
            const { left, top, width, height } = pad.getBoundingClientRect();
            this.#set(2 * (event.clientX - left) / width - 1, 1 - 2 * (event.clientY - top) / height);
        };
        pad.addEventListener('pointerdown', event => {
            pad.setPointerCapture(event.pointerId);
            drag(event);
        });
        pad.addEventListener('pointermove', event => pad.hasPointerCapture(event.pointerId) && drag(event));
        ['pointerup', 'pointercancel'].forEach(type => pad.addEventListener(type, () => this.#set(0, 0)));
        addEventListener('keydown', event => this.#press(event, true), { signal, capture: true });
        addEventListener('keyup', event => this.#press(event, false), { signal, capture: true });
        addEventListener('blur', () => {
            this.#held.clear();
            this.#set(0, 0);
        }, { signal });
        this.#set(0, 0);
    }

    remove(): void {
        this.#listeners.abort();
        this.#pad.remove();
    }

    // Ctrl and arrow keys turn the camera.
    #press(event: KeyboardEvent, down: boolean): void {
        const isArrow = event.key in KEYS;
        const takes = down && isArrow && !event.ctrlKey && !event.metaKey && !event.altKey
            && !(event.target instanceof Element && event.target.closest('#controls'));
        if (takes) {
            this.#held.add(event.key);
            event.preventDefault();
            event.stopPropagation();
        } else if (!down) {
            this.#held.delete(event.key);
        }
        this.#runs = event.shiftKey;
        if (isArrow || event.key === 'Shift') {
            const reach = this.#runs ? 1 : WALK;
            const sum = [...this.#held].map(key => KEYS[key]).reduce((a, b) => [a[0] + b[0], a[1] + b[1]], [0, 0]);
            const length = Math.hypot(...sum) || 1;
            this.#set(reach * sum[0] / length, reach * sum[1] / length);
        }
    }

    #set(right: number, up: number): void {
        const length = Math.max(Math.hypot(right, up), 1);
        this.right = right / length;
        this.up = up / length;
        this.#knob.style.translate = `${this.right * 100}% ${-this.up * 100}%`;
        const percent = Math.round(100 * Math.hypot(this.right, this.up));
        const degrees = Math.round(Math.atan2(this.right, this.up) * 180 / Math.PI);
        this.#pad.setAttribute('aria-valuenow', String(percent));
        this.#pad.setAttribute('aria-valuetext', percent === 0 ? 'in the middle' : `${percent} %, ${
            degrees === 0 ? 'ahead' : `${Math.abs(degrees)} degrees to the ${degrees < 0 ? 'left' : 'right'}`}`);
    }
}
