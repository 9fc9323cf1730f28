// A page: a graph, what it shows, and the script with which `limber play` and the page must give the same hash.
import list from '../pages.json';

export interface Page {
    id: string; // also of its files
    title: string;
    about: string;
    character: string; // what `limber pack` calls it
    from?: Record<string, string>; // characters of retargets, by the names in the graph
    characters: number;
    frames: number; // of the script
    clock?: boolean; // whether the parameter "time" counts seconds
    matches?: boolean; // motion: see match.ts
    start?: Record<string, number>; // where sliders are at first
    targets?: (string | number)[][]; // points that are dragged: parameters or numbers for x, y and z
    camera?: number[]; // see view.ts, as of results
    results?: number;
    labels?: string[]; // of characters
}

export const pages: Page[] = list;
