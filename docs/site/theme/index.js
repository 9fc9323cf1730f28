import { useData, withBase } from 'vitepress'
import DefaultTheme from 'vitepress/theme-without-fonts'
import { h, onMounted, ref, watch } from 'vue'
import './style.css'

// A picture of an operation, with a button that replaces it by a frame of the playground: the same figures, live.
const LiveFigure = {
  props: { name: String },
  setup(props, { slots }) {
    const { isDark } = useData()
    const state = ref('') // then "ready", because a script runs here, then "live"
    const frame = ref()
    onMounted(() => (state.value = 'ready'))
    const color = () => {
      const root = frame.value?.contentDocument?.documentElement
      if (root) root.style.colorScheme = isDark.value ? 'dark' : 'light'
    }
    watch(isDark, color)
    const loaded = () => {
      color()
      const { body } = frame.value.contentDocument
      new ResizeObserver(() => (frame.value.style.height = `${body.offsetHeight}px`)).observe(body)
      frame.value.focus({ preventScroll: true })
    }
    const src = withBase(`/playground/index.html?figure=${props.name}`)
    return () =>
      h(
        'span',
        { class: 'figure' },
        state.value === 'live'
          ? h('iframe', { ref: frame, src, title: `${props.name}, live`, onLoad: loaded })
          : [slots.default(), state.value && h('button', { onClick: () => (state.value = 'live') }, 'Run it')]
      )
  }
}

export default {
  extends: DefaultTheme,
  enhanceApp({ app }) {
    app.component('LiveFigure', LiveFigure)
  }
}
