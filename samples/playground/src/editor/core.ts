// What the tests of the editor use without a page.
export * from './change.ts';
export * from './diagram.ts';
export * from './document.ts';
export { arrange } from './layout.ts';
