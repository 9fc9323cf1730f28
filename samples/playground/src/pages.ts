// The pages: a graph, what it shows, and the script with which `limber play` and the page must give the same hash.
export interface Page {
    id: string; // also of its files in ../pages
    title: string;
    about: string;
    character: string; // what `limber pack` calls it
    characters: number;
    frames: number; // of the script
    matches?: boolean; // motion: see match.ts
}

export const pages: Page[] = [
    {
        id: 's-curve',
        title: 'S-curve and masks',
        about: 'The arms wave over legs that walk or run: a blend by a mask, whose weight goes through an S-curve.',
        character: 'mannequin',
        characters: 1,
        frames: 90,
    },
    {
        id: 'five-clips',
        title: 'Five clips',
        about: 'Two sliders blend five clips of a plane: idle in the middle, and one in each direction.',
        character: 'mannequin',
        characters: 1,
        frames: 120,
    },
    {
        id: 'jump',
        title: 'Jump machine',
        about: 'A tap hops from halfway down. Hold to crouch, and leap when you let go.',
        character: 'mannequin',
        characters: 1,
        frames: 330,
    },
    {
        id: 'crowd',
        title: 'Crowd',
        about: '2,000 characters blend two of 20 clips, each its own ones.',
        character: 'mannequin',
        characters: 2000,
        frames: 10,
    },
    {
        id: 'match',
        title: 'Motion matching',
        about: 'One character goes where the stick points: drag it, or press arrow keys, with Shift to run. The others '
            + 'walk from place to place. Each says a velocity, and a search finds the moment of four takes to play.',
        character: 'mannequin-takes',
        characters: 1,
        frames: 600,
        matches: true,
    },
];
