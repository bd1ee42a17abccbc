/**
 * The site of docs/. It loads nothing from other origins. Links that leave docs/ are texts there, since the site has no such files.
 */
import { fileURLToPath } from "node:url"
import { defineConfig } from "vitepress"
import { slug } from "../../scripts/checks/Anchors.ts"
import { groups } from "../Sidebar.ts"

export default defineConfig({
  title: "Holdfast",
  description: "File storage for Node: a library and an HTTP service",
  lang: "en",
  srcDir: "../docs",
  outDir: "dist",
  base: process.env["SITE_BASE"] ?? "/",
  rewrites: { "README.md": "index.md", "decisions/README.md": "decisions/index.md" },
  markdown: {
    anchor: { slugify: slug },
    languageAlias: { haproxy: "ini" },
    config: (markdown) => {
      markdown.core.ruler.after("inline", "links", ({ env, tokens }) => {
        const root = env.relativePath.startsWith("decisions/") ? "../../" : "../"
        for (const { children } of tokens) {
          const links = (children ?? []).filter(({ type }) => type === "link_open" || type === "link_close")
          for (const [index, token] of links.entries()) {
            const href = token.type === "link_open" ? token.attrGet("href") : null
            if (href === null) continue
            if (!href.startsWith(root)) {
              token.attrSet("href", href.replace(/\bREADME\.md\b/, "index.md"))
              continue
            }
            for (const end of [token, links[index + 1]]) {
              if (end === undefined) continue
              end.tag = "span"
              end.attrs = null
            }
          }
        }
      })
    }
  },
  vite: {
    plugins: [
      {
        // The pages are outside of this package, where their imports would not find Vue.
        name: "vue-for-pages",
        enforce: "pre",
        resolveId(source, importer) {
          return /^vue(?:\/|$)/.test(source) && importer?.endsWith(".md") === true
            ? this.resolve(source, fileURLToPath(import.meta.url), { skipSelf: true })
            : undefined
        }
      }
    ]
  },
  themeConfig: {
    sidebar: groups.map(({ items, text }) => ({ text, items: [...items] })),
    outline: [2, 3],
    search: { provider: "local" }
  }
})
