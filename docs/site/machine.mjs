// Draws the states of a machine: node machine.mjs FILE.json LIMBER >PICTURE.svg, in a folder where @viz-js/viz is.
//
// The site draws each machine of a JSON block in the colours of the page. Where the block follows a picture of
// samples/machines, which is for readers of the repository, pages.mjs checks that the picture is what this prints.
import { execFileSync } from 'node:child_process'
import * as fs from 'node:fs'
import { fileURLToPath } from 'node:url'
import { instance } from '@viz-js/viz'

const viz = await instance()

function draw(json, limber, background) {
  const dot = execFileSync(limber, ['graph', 'mannequin', '--graph', json, '--dot'], { encoding: 'utf8' })
  const style =
    `rankdir=LR; bgcolor=${background}; nodesep=0.35; ranksep=0.7;` +
    'node [fontname="Inter,Helvetica,Arial,sans-serif", fontsize=13, margin="0.16,0.08", penwidth=1.2];' +
    'edge [fontname="Inter,Helvetica,Arial,sans-serif", fontsize=11, arrowsize=0.7, penwidth=1.1];' +
    'fontname="Inter,Helvetica,Arial,sans-serif"; fontsize=12; color="#88888888";'
  const svg = viz.renderString(dot.replace('{', `{ ${style}`), { format: 'svg' })
  return svg
    .slice(svg.indexOf('<svg'))
    .replace(/<!--.*?-->/gs, '')
    .replace(/<title>.*?<\/title>/gs, '')
}

// As part of a page.
export function drawMachine(json, limber) {
  return draw(json, limber, 'transparent')
    .replace(/(fill|stroke)="black"/g, '$1="currentColor"')
    .replace(/<text /g, '<text fill="currentColor" ')
    .replace(/\n+/g, ' ')
}

// As a file.
export function drawMachineFile(json, limber) {
  return draw(json, limber, 'white').replace(/\n+/g, '\n')
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [file, limber] = process.argv.slice(2)
  process.stdout.write(drawMachineFile(fs.readFileSync(file, 'utf8'), limber))
}
