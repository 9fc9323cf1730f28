// Draws any number of characters in one call for each mesh. The vertex shader reads palettes from a texture, whose
// texels are the rows of their matrices as the library stores them: nothing is converted.
import * as THREE from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import type { Batch, Character, MotionPath } from 'limber-animation';
import fragmentShader from './skin.frag?raw';
import vertexShader from './skin.vert?raw';

// Paths on the ground, drawn over all else.
const PATHS = { played: { color: 0x3584e4, order: 1 }, asked: { color: 0xe66100, order: 2 } };
const WIDTH = 0.06, HEADING = 0.25; // metres

// Corners of triangles for a line between points on the ground.
function ribbon([x, z]: number[], [toX, toZ]: number[], width: number): number[] {
    const length = Math.hypot(toX - x, toZ - z) || 1;
    const right = width / 2 * (z - toZ) / length, up = width / 2 * (toX - x) / length;
    const a = [x + right, 0, z + up], b = [x - right, 0, z - up];
    const c = [toX + right, 0, toZ + up], d = [toX - right, 0, toZ - up];
    return [...a, ...b, ...c, ...c, ...b, ...d];
}

// What a character measures beside a person, if it is of another kind: its file may have centimetres.
function scaleOf(character: Character): number {
    const size = Math.max(...character.meshes.map(({ positions }) => (
        positions.reduce((largest, at) => Math.max(largest, Math.abs(at)), 0))), 0);
    return size > 0.5 && size < 5 ? 1 : (size || 1.8) / 1.8;
}

// Of figures: where the camera is, how they are turned, and what is before and behind the gap to the results.
const ROW = [0, 2.5, 14.2, 0.78], TURN = 0.5, GAP = 0.18;

interface Look {
    camera?: number[]; // where it is, and the height at which it looks
    results?: number; // the characters are figures in a row, of which so many, the last ones, are marked
}

export class View {
    readonly #renderer: THREE.WebGLRenderer;
    readonly #scene = new THREE.Scene();
    readonly #camera = new THREE.PerspectiveCamera(35, 1, 0.1, 200);
    readonly #orbit: OrbitControls;
    readonly #grid = new THREE.GridHelper(20, 20, 0x888888, 0x888888);
    readonly #paths = new Map<string, THREE.Mesh>();
    #shown: THREE.Mesh[] = [];
    #batch?: Batch;
    #palettes?: THREE.DataTexture;
    #motions?: THREE.InstancedBufferAttribute;
    #moves = false;
    #followed = [0, 0];
    #seen: number[] = []; // from where, at first

    constructor(canvas: HTMLCanvasElement) {
        this.#renderer = new THREE.WebGLRenderer({ canvas, antialias: true, alpha: true, preserveDrawingBuffer: true });
        this.#renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
        this.#renderer.outputColorSpace = THREE.LinearSRGBColorSpace;
        this.#orbit = new OrbitControls(this.#camera, canvas);
        this.#orbit.listenToKeyEvents(canvas);
        this.#scene.add(this.#grid);
        for (const [name, { color, order }] of Object.entries(PATHS)) {
            const path = new THREE.Mesh(new THREE.BufferGeometry(), new THREE.MeshBasicMaterial({
                color: new THREE.Color().setHex(color, THREE.LinearSRGBColorSpace), side: THREE.DoubleSide,
                depthTest: false, depthWrite: false,
            }));
            Object.assign(path, { renderOrder: order, frustumCulled: false });
            this.#paths.set(name, path);
            this.#scene.add(path);
        }
    }

    // Shows the first characters of a batch, in rows, or where they move. The camera stays where somebody moved it while
    // it is asked for at the same place.
    show(character: Character, batch: Batch, drawn: number, moves: boolean, look: Look = {}): void {
        for (const mesh of this.#shown) {
            this.#scene.remove(mesh);
            mesh.geometry.dispose();
            (mesh.material as THREE.Material).dispose();
        }
        this.#palettes?.dispose();
        this.#batch = batch;
        const isRow = look.results !== undefined, first = isRow ? batch.count - look.results! : 0;
        this.#palettes = new THREE.DataTexture(batch.palettes, batch.graph.jointCount * 3, batch.count,
            THREE.RGBAFormat, THREE.FloatType);
        const material = (color: number[]) => new THREE.ShaderMaterial({
            glslVersion: THREE.GLSL3,
            vertexShader,
            fragmentShader,
            uniforms: {
                palettes: { value: this.#palettes },
                color: { value: new THREE.Vector3(...color.slice(0, 3)) },
                marks: { value: [first, isRow ? batch.count : moves && batch.count > 1 ? 1 : 0] },
            },
        });
        this.#motions = new THREE.InstancedBufferAttribute(new Float32Array(batch.count * 4), 4);
        this.#shown = character.meshes.map(mesh => {
            const geometry = new THREE.InstancedBufferGeometry();
            const attribute = (array: Float32Array | Uint16Array, width: number, used: number) => (
                new THREE.InterleavedBufferAttribute(new THREE.InterleavedBuffer(array, width), used, 0));
            geometry.instanceCount = drawn;
            geometry.setIndex(new THREE.BufferAttribute(mesh.indices, 1));
            geometry.setAttribute('position', attribute(mesh.positions, 3, 3));
            geometry.setAttribute('normal', attribute(mesh.normals, 3, 3));
            geometry.setAttribute('jointIndices', attribute(mesh.joints, 8, 4));
            geometry.setAttribute('jointWeights', attribute(mesh.weights, 8, 4));
            geometry.setAttribute('motion', this.#motions!);
            const shown = new THREE.Mesh(geometry, material(mesh.material.color));
            shown.frustumCulled = false;
            this.#scene.add(shown);
            return shown;
        });
        const side = isRow ? batch.count : Math.ceil(Math.sqrt(batch.count)), scale = scaleOf(character);
        for (let i = 0; i < batch.count; i++) {
            const gap = first === 0 ? 0 : i < first ? -GAP : GAP;
            const at = [1.2 * (i % side - (side - 1) / 2) + gap, 0, -1.2 * Math.floor(i / side)].map(x => scale * x);
            this.#motions.array.set([...at, isRow ? TURN - Math.atan2(at[0], ROW[2]) : 0], i * 4);
        }
        this.#moves = moves;
        this.follow(0, 0);
        const camera = look.camera ?? (isRow ? ROW : moves ? [-2, 3.5, -7, 0.6]
            : batch.count > 1 ? [9, 7, 12, 0, -6] : [1.6, 1.4, 3.6, 0.9]);
        const scaled = camera.map(part => part * scale);
        if (scaled.join() !== this.#seen.join()) {
            this.#seen = scaled;
            this.#camera.fov = isRow ? 9.6 : 35;
            this.#orbit.enableZoom = !isRow; // the page around it scrolls
            this.#camera.position.set(scaled[0], scaled[1], scaled[2]);
            this.#camera.near = 0.1 * scale;
            this.#camera.far = 200 * scale;
            this.#camera.updateProjectionMatrix();
            this.#orbit.target.set(0, scaled[3], scaled[4] ?? 0);
            this.#grid.scale.setScalar(scale);
            this.#orbit.update();
        }
    }

    // Moves the camera with a character that was followed until now.
    follow(x: number, z: number): void {
        const way = new THREE.Vector3(x - this.#followed[0], 0, z - this.#followed[1]);
        this.#camera.position.add(way);
        this.#orbit.target.add(way);
        this.#orbit.update();
        this.#followed = [x, z];
        this.#grid.position.set(Math.round(x), 0, Math.round(z));
    }

    // Returns x and z of the direction on the ground in which the camera looks.
    ahead(): [number, number] {
        const { x, z } = this.#camera.getWorldDirection(new THREE.Vector3()), length = Math.hypot(x, z) || 1;
        return [x / length, z / length];
    }

    #placeOf(character: number): THREE.Matrix4 {
        const [x, y, z, yaw] = this.#motions!.array.slice(character * 4);
        return new THREE.Matrix4().makeRotationY(yaw).setPosition(x, y, z);
    }

    // Puts an element over a point in the space of a character.
    pin(element: HTMLElement, character: number, [x, y, z]: number[]): void {
        const { clientWidth, clientHeight } = this.#renderer.domElement;
        this.#camera.updateMatrixWorld();
        const seen = new THREE.Vector3(x, y, z).applyMatrix4(this.#placeOf(character)).project(this.#camera);
        element.style.translate = `${(1 + seen.x) / 2 * clientWidth}px ${(1 - seen.y) / 2 * clientHeight}px`;
    }

    // Returns the point under a pointer that is as far away as another one.
    pointAt(event: PointerEvent, character: number, [x, y, z]: number[]): number[] {
        const { left, top, width, height } = this.#renderer.domElement.getBoundingClientRect();
        const place = this.#placeOf(character), old = new THREE.Vector3(x, y, z).applyMatrix4(place);
        return new THREE.Vector3(2 * (event.clientX - left) / width - 1, 1 - 2 * (event.clientY - top) / height,
            old.project(this.#camera).z).unproject(this.#camera).applyMatrix4(place.invert()).toArray();
    }

    // Shows a path of a character that is at x and z, with its headings, or none.
    showPath(name: keyof typeof PATHS, path?: MotionPath, x = 0, z = 0, yaw = 0): void {
        const { geometry } = this.#paths.get(name)!;
        const corners: number[] = [];
        let before = [0, 0];
        path?.positions.forEach((at, i) => {
            const end = path.headings[i].map((part, axis) => at[axis] + HEADING * part);
            corners.push(...ribbon(before, at, WIDTH), ...ribbon(at, end, WIDTH));
            corners.push(...ribbon([at[0], at[1] - WIDTH], [at[0], at[1] + WIDTH], 2 * WIDTH));
            before = at;
        });
        geometry.dispose();
        geometry.setAttribute('position', new THREE.Float32BufferAttribute(corners, 3));
        this.#paths.get(name)!.position.set(x, 0, z);
        this.#paths.get(name)!.rotation.y = yaw;
    }

    draw(): void {
        const { clientWidth, clientHeight } = this.#renderer.domElement;
        const size = this.#renderer.getSize(new THREE.Vector2());
        if (size.x !== clientWidth || size.y !== clientHeight) {
            this.#renderer.setSize(clientWidth, clientHeight, false);
            this.#camera.aspect = clientWidth / clientHeight;
            this.#camera.updateProjectionMatrix();
        }
        if (this.#batch && this.#palettes && this.#motions) {
            this.#palettes.image.data = this.#batch.palettes; // another view if the memory has grown
            this.#palettes.needsUpdate = true;
            if (this.#moves) {
                this.#motions.array.set(this.#batch.motions);
                this.#motions.needsUpdate = true;
            }
        }
        this.#renderer.render(this.#scene, this.#camera);
    }

    // Coverage in a grid of 16 by 9: how much of each cell is drawn, 0 to 99. For tests.
    coarse(): number[] {
        const canvas = document.createElement('canvas');
        canvas.width = 16;
        canvas.height = 9;
        const context = canvas.getContext('2d')!;
        context.imageSmoothingQuality = 'high';
        context.drawImage(this.#renderer.domElement, 0, 0, 16, 9);
        const { data } = context.getImageData(0, 0, 16, 9);
        return Array.from({ length: 144 }, (_, i) => Math.round(data[i * 4 + 3] * 99 / 255));
    }
}
