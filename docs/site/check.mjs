// Checks a built site: node check.mjs HTML [PICTURES]
//
// - every link to a page, a section, a file or a picture of the site leads somewhere;
// - at a width of 390 pixels no page is wider than the screen, and no picture is wider than its text;
// - text has a contrast of at least 4.5 to what is behind it, large text 3, in the light and the dark colours;
// - if the manual has the playground, a figure runs, and its slider moves.
// All but the first need Chromium. With PICTURES, a folder, it also takes screenshots of some pages there: on a desktop
// and on a phone, light and dark. Exits with 1 if something is wrong.
import { spawn } from 'node:child_process'
import * as fs from 'node:fs'
import * as http from 'node:http'
import * as os from 'node:os'
import * as path from 'node:path'

const [folder, pictures] = process.argv.slice(2)
const problems = []
const pages = fs.readdirSync(folder).filter((name) => name.endsWith('.html') && name !== '404.html')

// Links.
const ids = new Map()
function idsOf(file) {
  if (!ids.has(file)) {
    const found = fs.existsSync(file) && fs.statSync(file).isFile()
    const text = found && file.endsWith('.html') ? fs.readFileSync(file, 'utf8') : ''
    ids.set(file, found ? new Set([...text.matchAll(/\s(?:id|name)="([^"]*)"/g)].map((match) => match[1])) : null)
  }
  return ids.get(file)
}
for (const page of pages) {
  const text = fs.readFileSync(path.join(folder, page), 'utf8')
  for (const [, target] of text.matchAll(/\s(?:href|src)="([^"]*)"/g)) {
    if (/^(https?:|data:|mailto:)/.test(target)) continue
    const [place, anchor] = decodeURIComponent(target.replaceAll('&amp;', '&')).split('#')
    let file = place === '' ? page : place.startsWith('/') ? place.slice(1) : place
    if (file === '' || file.endsWith('/')) file += 'index.html'
    let found = idsOf(path.join(folder, file))
    if (found === null && !path.extname(file)) found = idsOf(path.join(folder, `${file}.html`))
    if (found === null) problems.push(`${page}: no file ${target}`)
    else if (anchor && file.endsWith('.html') && !found.has(anchor)) problems.push(`${page}: no section ${target}`)
  }
}

// A server for Chromium, and Chromium by its protocol over pipes.
const types = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.json': 'application/json',
  '.txt': 'text/plain',
  '.wasm': 'application/wasm'
}
const server = http.createServer((request, response) => {
  let file = path.join(folder, decodeURIComponent(new URL(request.url, 'http://x').pathname))
  if (file.endsWith('/')) file += 'index.html'
  if (!fs.existsSync(file)) {
    if (!/favicon/.test(request.url)) problems.push(`no file ${request.url}`)
    response.writeHead(404).end()
    return
  }
  response.writeHead(200, { 'Content-Type': types[path.extname(file)] ?? 'application/octet-stream' })
  fs.createReadStream(file).pipe(response)
})
await new Promise((ready) => server.listen(0, '127.0.0.1', ready))
const address = `http://127.0.0.1:${server.address().port}`

const profile = fs.mkdtempSync(path.join(os.tmpdir(), 'limber-manual-'))
const chromium = spawn(
  process.env.CHROMIUM ?? 'chromium',
  [
    '--headless=new',
    '--no-sandbox',
    '--disable-gpu',
    '--enable-unsafe-swiftshader',
    '--hide-scrollbars',
    '--no-first-run',
    `--user-data-dir=${profile}`,
    '--remote-debugging-pipe'
  ],
  { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] }
)
const waiting = new Map()
const events = new Map()
let last = 0
let unread = ''
chromium.stdio[4].setEncoding('utf8').on('data', (text) => {
  unread += text
  const messages = unread.split('\0')
  unread = messages.pop()
  for (const one of messages) {
    const message = JSON.parse(one)
    if (message.id) {
      const { resolve, reject } = waiting.get(message.id)
      waiting.delete(message.id)
      if (message.error) reject(new Error(message.error.message))
      else resolve(message.result)
    } else events.get(message.method)?.(message.params)
  }
})
function send(method, params = {}, sessionId = undefined) {
  const id = ++last
  chromium.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId })}\0`)
  return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }))
}
const { targetId } = await send('Target.createTarget', { url: 'about:blank' })
const { sessionId } = await send('Target.attachToTarget', { targetId, flatten: true })
const tab = (method, params) => send(method, params, sessionId)
await tab('Page.enable')

async function evaluate(code) {
  const options = { expression: code, awaitPromise: true, returnByValue: true }
  const { result, exceptionDetails } = await tab('Runtime.evaluate', options)
  if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text)
  return result.value
}

// The page changes its colours by itself.
async function choose(dark) {
  const features = [
    { name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' },
    { name: 'prefers-reduced-motion', value: 'reduce' }
  ]
  await tab('Emulation.setEmulatedMedia', { features })
  const changed = await evaluate(`(async () => {
    const until = performance.now() + 10000
    do await new Promise((done) => setTimeout(done, 100))
    while (document.documentElement.classList.contains('dark') !== ${dark} && performance.now() < until)
    return document.documentElement.classList.contains('dark') === ${dark}
  })()`)
  if (!changed) problems.push('the colours do not change')
}

async function open(page, width, height) {
  const metrics = { width, height, deviceScaleFactor: pictures ? 2 : 1, mobile: width < 600 }
  await tab('Emulation.setDeviceMetricsOverride', metrics)
  const loaded = new Promise((resolve) => events.set('Page.loadEventFired', resolve))
  await tab('Page.navigate', { url: `${address}/${page}` })
  await loaded
  await evaluate(`(async () => {
    await document.fonts.ready
    await new Promise((done) => setTimeout(done, 100)) // the page's scripts run
  })()`)
}

// Runs in the page.
function measure(width) {
  const found = []
  const root = document.documentElement
  if (root.scrollWidth > width) found.push(`the page is ${root.scrollWidth} pixels wide`)
  for (const image of document.querySelectorAll('main img, main svg, figure svg')) {
    const box = image.getBoundingClientRect()
    if (image.closest('figure, .table')?.scrollWidth > width) continue // it scrolls by itself
    if (box.width > 0 && (box.left < -1 || box.right > width + 1)) {
      found.push(`a picture reaches from ${box.left} to ${box.right}`)
    }
  }
  const channels = (color) => /^rgba?\(([^)]*)\)/.exec(color)?.[1].split(/[ ,/]+/).map(Number) ?? [0, 0, 0, 0]
  const over = (top, bottom) => {
    const a = top[3] ?? 1
    return [0, 1, 2].map((i) => top[i] * a + bottom[i] * (1 - a))
  }
  const luminance = (color) => {
    const [r, g, b] = color.map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4))
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  function behind(element) {
    const layers = []
    for (let e = element; e; e = e.parentElement) layers.push(channels(getComputedStyle(e).backgroundColor))
    return layers.reverse().reduce((below, layer) => over(layer, below), [255, 255, 255])
  }
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  const seen = new Set()
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    const element = node.parentElement
    const style = getComputedStyle(element)
    if (!node.data.trim() || !element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true })) continue
    if (element.closest('script, style, .header-anchor, .copy, .lang')) continue
    const back = behind(element)
    const color = element.closest('svg') ? (style.fill === 'none' ? style.color : style.fill) : style.color
    const front = over(channels(color), back)
    const [light, dark] = [luminance(front), luminance(back)].sort((a, b) => b - a)
    const contrast = (light + 0.05) / (dark + 0.05)
    const size = parseFloat(style.fontSize)
    const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700)
    const text = node.data.trim().slice(0, 30)
    const line = `contrast ${contrast.toFixed(2)} of ${color} on ${back.map(Math.round)}: "${text}"`
    const key = `${color} ${back}`
    if (contrast < (large ? 3 : 4.5) && !seen.has(key)) {
      seen.add(key)
      found.push(line)
    }
  }
  return found
}

// Runs in the page: presses a button, and returns what is wrong with the figure that it opens.
async function run(name) {
  const holds = async (test) => {
    for (const until = performance.now() + 60000; performance.now() < until; ) {
      const found = test()
      if (found) return found
      await new Promise((done) => setTimeout(done, 100))
    }
    return undefined
  }
  const figures = [...document.querySelectorAll('.figure')]
  const button = figures.find((figure) => figure.querySelector(`img[src$="/${name}.png"]`))?.querySelector('button')
  if (!button) return [`no button of the figure ${name}`]
  button.click()
  const frame = await holds(() => document.querySelector(`iframe[src$="=${name}"]`))
  const shown = () => frame?.contentDocument
  const circle = () => shown()?.querySelector('.target')?.style.translate
  if (!(await holds(circle))) return [`the figure ${name} does not run: ${shown()?.body?.innerText}`]
  const before = circle()
  const slider = shown().querySelector('input')
  slider.value = slider.max
  slider.dispatchEvent(new Event('input'))
  if (!(await holds(() => circle() !== before))) return [`the slider of the figure ${name} moves nothing`]
  frame.scrollIntoView({ block: 'center' })
  if (!(await holds(() => frame.offsetHeight >= shown().body.offsetHeight))) return [`the figure ${name} is cut`]
  return shown().documentElement.scrollWidth > frame.clientWidth ? [`the figure ${name} is wider than its frame`] : []
}

try {
  for (const page of pages) {
    await open(page, 390, 844)
    for (const dark of [false, true]) {
      await choose(dark)
      const found = await evaluate(`(${measure})(390)`)
      problems.push(...found.map((problem) => `${page}, ${dark ? 'dark' : 'light'}: ${problem}`))
    }
  }
  if (pictures) fs.mkdirSync(pictures, { recursive: true })
  if (fs.existsSync(path.join(folder, 'playground'))) {
    await open('graph-reference.html', 390, 844)
    problems.push(...(await evaluate(`(${run})('ik_two_bone')`)))
    for (const dark of pictures ? [false, true] : []) {
      await choose(dark)
      const { data } = await tab('Page.captureScreenshot', { format: 'png' })
      fs.writeFileSync(path.join(pictures, `figure-${dark ? 'dark' : 'light'}.png`), Buffer.from(data, 'base64'))
    }
  }
  if (pictures) {
    for (const shown of ['index', 'getting-started', 'state-machines#an-example', 'migration', 'faq', 'shaders']) {
      const [page, section] = shown.split('#')
      for (const [device, width, height] of [['desktop', 1440, 900], ['phone', 390, 844]]) {
        await open(`${page}.html`, width, height)
        if (section) await evaluate(`document.querySelector('figure.machine').scrollIntoView({ block: 'center' })`)
        for (const dark of [false, true]) {
          await choose(dark)
          const { data } = await tab('Page.captureScreenshot', { format: 'png' })
          const name = `${page}-${device}-${dark ? 'dark' : 'light'}.png`
          fs.writeFileSync(path.join(pictures, name), Buffer.from(data, 'base64'))
        }
      }
    }
  }
} finally {
  chromium.kill()
  server.close()
}
console.log(problems.length === 0 ? `${pages.length} pages are right` : problems.join('\n'))
chromium.once('exit', () => {
  fs.rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
  process.exit(problems.length === 0 ? 0 : 1)
})
