// Draws any number of characters in one call for each mesh. The vertex shader reads palettes from a texture, whose
// texels are the rows of their matrices as the library stores them: nothing is converted.
import * as THREE from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import type { Batch, Character } from 'limber-animation';

const vertexShader = /* glsl */ `
uniform sampler2D palettes;
in vec4 jointIndices;
in vec4 jointWeights;
in vec4 motion; // x, y, z, yaw
out vec3 shownNormal;

vec4 row(int joint, int index) {
    return texelFetch(palettes, ivec2(joint * 3 + index, gl_InstanceID), 0);
}

void main() {
    vec3 at = vec3(0.0), turned = vec3(0.0);
    for (int i = 0; i < 4; i++) {
        int joint = int(jointIndices[i]);
        vec4 x = row(joint, 0), y = row(joint, 1), z = row(joint, 2), p = vec4(position, 1.0);
        at += jointWeights[i] * vec3(dot(x, p), dot(y, p), dot(z, p));
        turned += jointWeights[i] * vec3(dot(x.xyz, normal), dot(y.xyz, normal), dot(z.xyz, normal));
    }
    float c = cos(motion.w), s = sin(motion.w);
    mat3 yaw = mat3(c, 0.0, -s, 0.0, 1.0, 0.0, s, 0.0, c);
    shownNormal = normalize(yaw * turned);
    gl_Position = projectionMatrix * viewMatrix * vec4(yaw * at + motion.xyz, 1.0);
}`;

const fragmentShader = /* glsl */ `
uniform vec3 color;
in vec3 shownNormal;
out vec4 shown;

void main() {
    vec3 n = normalize(shownNormal);
    float light = 0.35 + 0.5 * max(dot(n, normalize(vec3(0.5, 1.0, 0.7))), 0.0) + 0.15 * n.y;
    shown = vec4(pow(color * light, vec3(1.0 / 2.2)), 1.0);
}`;

export class View {
    readonly #renderer: THREE.WebGLRenderer;
    readonly #scene = new THREE.Scene();
    readonly #camera = new THREE.PerspectiveCamera(35, 1, 0.1, 200);
    readonly #orbit: OrbitControls;
    readonly #character: Character;
    #shown: THREE.Mesh[] = [];
    #batch?: Batch;
    #palettes?: THREE.DataTexture;
    #motions?: THREE.InstancedBufferAttribute;

    constructor(canvas: HTMLCanvasElement, character: Character) {
        this.#character = character;
        this.#renderer = new THREE.WebGLRenderer({ canvas, antialias: true, alpha: true, preserveDrawingBuffer: true });
        this.#renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
        this.#renderer.outputColorSpace = THREE.LinearSRGBColorSpace;
        this.#orbit = new OrbitControls(this.#camera, canvas);
        this.#orbit.listenToKeyEvents(canvas);
        this.#scene.add(new THREE.GridHelper(20, 20, 0x888888, 0x888888));
    }

    // Shows the first characters of a batch, in rows.
    show(batch: Batch, drawn: number): void {
        for (const mesh of this.#shown) {
            this.#scene.remove(mesh);
            mesh.geometry.dispose();
        }
        this.#palettes?.dispose();
        this.#batch = batch;
        this.#palettes = new THREE.DataTexture(batch.palettes, batch.graph.jointCount * 3, batch.count,
            THREE.RGBAFormat, THREE.FloatType);
        const material = (color: number[]) => new THREE.ShaderMaterial({
            glslVersion: THREE.GLSL3,
            vertexShader,
            fragmentShader,
            uniforms: {
                palettes: { value: this.#palettes },
                color: { value: new THREE.Vector3(...color.slice(0, 3)) },
            },
        });
        this.#motions = new THREE.InstancedBufferAttribute(new Float32Array(batch.count * 4), 4);
        this.#shown = this.#character.meshes.map(mesh => {
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
        const side = Math.ceil(Math.sqrt(batch.count));
        for (let i = 0; i < batch.count; i++) {
            this.#motions.array.set([1.2 * (i % side - (side - 1) / 2), 0, -1.2 * Math.floor(i / side), 0], i * 4);
        }
        const far = batch.count > 1;
        this.#camera.position.set(far ? 9 : 1.6, far ? 7 : 1.4, far ? 12 : 3.6);
        this.#orbit.target.set(0, far ? 0 : 0.9, far ? -6 : 0);
        this.#orbit.update();
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
