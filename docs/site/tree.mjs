// The tree of the manual: groups of pages. pages.mjs fails for a page of docs that is not here.
export const tree = [
  ['Begin', ['tutorial', 'getting-started', 'existing-renderer', 'shaders', 'concepts', 'cookbook']],
  ['Graphs', ['graph-json', 'graph-reference', 'state-machines', 'usual-graphs', 'motion-matching', 'graph-view', 'demos']],
  ['Characters', ['importing', 'skinning', 'streaming']],
  ['Servers', ['netcode', 'determinism', 'bad-input']],
  ['Speed', ['performance', 'figures']],
  ['Look up', ['faq', 'migration', 'glossary', 'command']],
  ['The project', ['contributing']]
]
