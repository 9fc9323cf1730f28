// Prepares the pages of docs for VitePress: node pages.mjs SOURCE WORK [LIMBER]
//
// SOURCE is the root of the repository, WORK a folder that gets the pages, their pictures, and the files to which they
// link. LIMBER is the command: with it every machine of a JSON block is drawn. Pages stay as they are in docs; what is
// different on the site is done here:
// - links to files of the repository become links to copies, as text; links to folders become text;
// - a paragraph that only links to a graph of samples/graphs also shows it, as such a block;
// - a JSON block with a machine gets a picture of its states (machine.mjs);
// - pictures of operations that the playground shows, if WORK/public has one, get a button (theme/index.js);
// - the page of contents is below the title page, home.md.
import * as fs from 'node:fs'
import * as path from 'node:path'
import { drawMachine, drawMachineFile } from './machine.mjs'
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

let machines = 0
function addPictures(text) {
  if (!limber) return text
  const blocks = /^(?:!\[([^\]]*)\]\(\.\.\/(samples\/machines\/\w+\.svg)\)\n\n)?(```json\n([^]*?)^```\n)/gm
  return text.replace(blocks, (all, label, picture, block, json) => {
    if (!/^\{"op": "machine"/.test(json)) return all
    if (picture && fs.readFileSync(path.join(source, picture), 'utf8') !== drawMachineFile(json, limber)) {
      throw new Error(`${picture} is not what docs/site/machine.mjs draws`)
    }
    machines++
    const figure = `figure class="machine" role="img" aria-label="${label ?? 'The states of this machine'}" v-pre`
    return `${block}\n<${figure}>${drawMachine(json, limber)}</figure>\n`
  })
}

// Shows the graph behind a link that is a paragraph of its own.
function addGraphs(text) {
  return text.replace(/^\[`[\w-]+\.json`\]\(\.\.\/(samples\/graphs\/[\w-]+\.json)\)$/gm, (link, file) => {
    const json = fs.readFileSync(path.join(source, file), 'utf8')
    return `${link}\n\n\`\`\`json\n${json}\`\`\``
  })
}

const figures = path.join(work, 'public/playground/data/figures.json')
const live = fs.existsSync(figures) ? JSON.parse(fs.readFileSync(figures, 'utf8')).map(({ title }) => title) : []
function addFigures(text) {
  return text.replace(/^!\[([^\]]*)\]\((\/pictures\/(\w+)\.png)\)$/gm, (picture, label, file, name) =>
    live.includes(name) ? `<LiveFigure name="${name}"><img src="${file}" alt="${label}"></LiveFigure>` : picture
  )
}

fs.mkdirSync(work, { recursive: true })
for (const name of pages) {
  let text = fs.readFileSync(path.join(source, 'docs', name), 'utf8')
  text = addFigures(mapLinks(addPictures(addGraphs(text))))
  text = text.replace(/^```(\w*) \(elsewhere\)$/gm, '```$1').replace(/^```json \(\w+\)$/gm, '```json')
  if (name === 'index.md') {
    const home = fs.readFileSync(path.join(source, 'docs/site/home.md'), 'utf8')
    text = mapLinks(home.replace(/\(\.\.\/\.\.\//g, '(../')) + text.replace(/^# .*\n/, '## All pages\n')
  }
  fs.writeFileSync(path.join(work, name), text)
}
copy('samples/viewer/crowd.jpg', 'pictures/crowd.jpg')
console.log(`${pages.length} pages, ${machines} machines drawn`)
