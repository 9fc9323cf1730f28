// Prints the script of the page "crowd": each character's clips, phase and weight, and the time of each frame.
for (let i = 0; i < 2000; i++) {
    console.log(`0 set first ${i * 7 % 20} ${i}\n0 set second ${(i * 11 + 5) % 20} ${i}`);
    console.log(`0 set phase ${i * 13 % 64 / 32} ${i}\n0 set weight ${i * 29 % 17 / 16} ${i}`);
}
for (let frame = 0; frame < 10; frame++) {
    console.log(`${frame / 60} set time ${frame / 64}`);
}
