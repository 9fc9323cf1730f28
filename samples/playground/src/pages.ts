// The pages: a graph, what it shows, and the script with which `limber play` and the page must give the same hash.
export interface Page {
    id: string; // also of its files in ../pages
    title: string;
    about: string;
    characters: number;
    frames: number; // of the script
}

export const pages: Page[] = [
    {
        id: 's-curve',
        title: 'S-curve and masks',
        about: 'The arms wave over legs that walk or run: a blend by a mask, whose weight goes through an S-curve.',
        characters: 1,
        frames: 90,
    },
    {
        id: 'five-clips',
        title: 'Five clips',
        about: 'Two sliders blend five clips of a plane: idle in the middle, and one in each direction.',
        characters: 1,
        frames: 120,
    },
    {
        id: 'jump',
        title: 'Jump machine',
        about: 'A tap hops from halfway down. Hold to crouch, and leap when you let go.',
        characters: 1,
        frames: 330,
    },
    {
        id: 'crowd',
        title: 'Crowd',
        about: '2,000 characters blend two of 20 clips, each its own ones.',
        characters: 2000,
        frames: 10,
    },
];
