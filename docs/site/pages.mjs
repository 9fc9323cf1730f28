// Prepares the pages of docs for VitePress: node pages.mjs SOURCE WORK [LIMBER]
//
// SOURCE is the root of the repository, WORK a folder that gets the pages, their pictures, and the files to which they
// link. LIMBER is the command: with it every machine of a JSON block is drawn. Pages stay as they are in docs; what is
// different on the site is done here:
// - links to files of the repository become links to copies, as text; links to folders become text;
// - a JSON block with a machine gets a picture of its states;
// - a paragraph that only links to a graph of samples/graphs also shows it, as such a block;
// - the page of contents is below the title page, home.md.
import { execFileSync } from 'node:child_process'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { instance } from '@viz-js/viz'
import { tree } from './tree.mjs'

const [source, work, limber] = process.argv.slice(2)
const pages = fs.readdirSync(path.join(source, 'docs')).filter((name) => name.endsWith('.md'))
const listed = ['index', ...tree.flatMap(([, names]) => names)].map((name) => `${name}.md`)
for (const name of pages) {
  if (!listed.includes(name)) throw new Error(`docs/${name} is not in docs/site/tree.mjs`)
}

function copy(from, to) {
  const target = path.join(work, 'public', to)
  fs.mkdirSync(path.dirname(target), { recursive: true })
  fs.copyFileSync(path.join(source, from), target)
}

// Where a link to a file of the repository leads on the site, or null for a folder.
function fileLink(target) {
  const [file, anchor] = target.split('#')
  const inside = path.normalize(path.join('docs', file))
  if (fs.statSync(path.join(source, inside)).isDirectory()) return null
  if (/\.(png|jpg|webp|svg)$/.test(file)) {
    copy(inside, `pictures/${path.basename(file)}`)
    return `/pictures/${path.basename(file)}`
  }
  copy(inside, `files/${inside}.txt`)
  return `/files/${inside}.txt`
}

function mapLinks(text) {
  return text.replace(/(!?)\[([^\]]*)\]\(((?:\.\.\/|graph\.schema\.json)[^)]*)\)/g, (all, image, label, target) => {
    const link = fileLink(target)
    if (link === null) return label
    return image ? `![${label}](${link})` : `<a href="${link}" target="_blank">${inline(label)}</a>`
  })
}

function inline(label) {
  return label.replace(/`([^`]+)`/g, '<code>$1</code>')
}

const viz = await instance()

// The states of a graph as SVG in the colours of the page.
function drawMachine(json) {
  const dot = execFileSync(limber, ['graph', 'mannequin', '--graph', json, '--dot'], { encoding: 'utf8' })
  const style =
    'rankdir=LR; bgcolor=transparent; nodesep=0.35; ranksep=0.7;' +
    'node [fontname="Inter,Helvetica,Arial,sans-serif", fontsize=13, margin="0.16,0.08", penwidth=1.2];' +
    'edge [fontname="Inter,Helvetica,Arial,sans-serif", fontsize=11, arrowsize=0.7, penwidth=1.1];' +
    'fontname="Inter,Helvetica,Arial,sans-serif"; fontsize=12; color="#88888888";'
  const svg = viz.renderString(dot.replace('{', `{ ${style}`), { format: 'svg' })
  return svg
    .slice(svg.indexOf('<svg'))
    .replace(/<!--.*?-->/gs, '')
    .replace(/<title>.*?<\/title>/gs, '')
    .replace(/(fill|stroke)="black"/g, '$1="currentColor"')
    .replace(/<text /g, '<text fill="currentColor" ')
    .replace(/\n+/g, ' ')
}

let machines = 0
function addPictures(text) {
  if (!limber) return text
  return text.replace(/^```json\n([^]*?)^```\n/gm, (block, json) => {
    if (!/^\{"op": "machine"/.test(json)) return block
    machines++
    const figure = 'figure class="machine" role="img" aria-label="The states of this machine" v-pre'
    return `${block}\n<${figure}>${drawMachine(json)}</figure>\n`
  })
}

// Shows the graph behind a link that is a paragraph of its own.
function addGraphs(text) {
  return text.replace(/^\[`[\w-]+\.json`\]\(\.\.\/(samples\/graphs\/[\w-]+\.json)\)$/gm, (link, file) => {
    const json = fs.readFileSync(path.join(source, file), 'utf8')
    return `${link}\n\n\`\`\`json\n${json}\`\`\``
  })
}

fs.mkdirSync(work, { recursive: true })
for (const name of pages) {
  let text = fs.readFileSync(path.join(source, 'docs', name), 'utf8')
  text = addPictures(mapLinks(addGraphs(text)))
  text = text.replace(/^```(\w*) \(elsewhere\)$/gm, '```$1').replace(/^```json \(\w+\)$/gm, '```json')
  if (name === 'index.md') {
    const home = fs.readFileSync(path.join(source, 'docs/site/home.md'), 'utf8')
    text = mapLinks(home.replace(/\(\.\.\/\.\.\//g, '(../')) + text.replace(/^# .*\n/, '## All pages\n')
  }
  fs.writeFileSync(path.join(work, name), text)
}
copy('samples/viewer/crowd.jpg', 'pictures/crowd.jpg')
console.log(`${pages.length} pages, ${machines} machines drawn`)
