// The site's configuration for VitePress. build.sh copies it to WORK/.vitepress.
import * as fs from 'node:fs'
import { tree } from '../tree.mjs'

const title = (name) => /^# (.*)$/m.exec(fs.readFileSync(new URL(`../${name}.md`, import.meta.url), 'utf8'))[1]

// Anchors as GitHub makes them, so that the same links work in both places.
const slugify = (text) =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replace(/ /g, '-')

// Where Doxygen describes a name of the headers.
const reference = new Map()
const tags = new URL('../api.tag', import.meta.url)
if (fs.existsSync(tags)) {
  const text = fs.readFileSync(tags, 'utf8')
  for (const [, name, file, anchor] of text.matchAll(
    /<name>(\w+)<\/name>\s*<anchorfile>([^<]+)<\/anchorfile>\s*<anchor>([^<]+)<\/anchor>/g
  )) {
    if (!reference.has(name)) reference.set(name, `/api/${file}#${anchor}`)
  }
  const structs = /<compound kind="struct">\s*<name>(\w+)<\/name>\s*<filename>([^<]+)<\/filename>/g
  for (const [, name, file] of text.matchAll(structs)) {
    reference.set(name, `/api/${file}`)
  }
}

// Inline code that is a name of the headers links to its description, unless it is in a link already.
function linkNames(md) {
  const render = md.renderer.rules.code_inline
  md.renderer.rules.code_inline = (tokens, index, options, env, self) => {
    const code = render(tokens, index, options, env, self)
    const name = /^((?:lmb|LMB)_\w+)/.exec(tokens[index].content)?.[1]
    let depth = 0
    for (const { type } of tokens.slice(0, index)) {
      depth += type === 'link_open' ? 1 : type === 'link_close' ? -1 : 0
    }
    const target = depth === 0 && reference.get(name)
    return target ? `<a class="api" href="${target}" target="_self">${code}</a>` : code
  }
}

// Tables scroll by themselves on a narrow screen, and the keyboard reaches them.
function wrapTables(md) {
  md.renderer.rules.table_open = () => '<div class="table" tabindex="0"><table>'
  md.renderer.rules.table_close = () => '</table></div>'
}

export default {
  title: 'Limber',
  description: 'Character animation for whole crowds, as Vulkan compute and on the CPU, with the same bits',
  lang: 'en-GB',
  cleanUrls: false,
  metaChunk: true,
  ignoreDeadLinks: [/^\/(api|files)\//],
  markdown: {
    anchor: { slugify },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    config: (md) => {
      linkNames(md)
      wrapTables(md)
    }
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: { level: [2, 3] },
    nav: [
      { text: 'Getting started', link: '/getting-started' },
      { text: 'Operations', link: '/graph-reference' },
      { text: 'Headers', link: '/api/modules.html', target: '_self' }
    ],
    sidebar: tree.map(([text, names]) => ({
      text,
      collapsed: false,
      items: names.map((name) => ({ text: title(name), link: `/${name}` }))
    })),
    docFooter: { prev: 'Before', next: 'Next' }
  }
}
