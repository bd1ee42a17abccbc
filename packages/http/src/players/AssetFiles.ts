/**
 * The files that player pages load, read from where they are installed. Each name carries a hash of the content, so that
 * browsers keep it for ever and a new release is a new name.
 */
import { hash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Licences from "./Licences.ts"

export interface AssetFile {
  readonly name: string
  readonly contentType: string
  readonly content: string
  /** Of the content; quotes are not part of it. */
  readonly tag: string
}

export interface AssetFiles {
  readonly script: AssetFile
  /** The modules that the script imports. */
  readonly modules: ReadonlyArray<AssetFile>
  readonly style: AssetFile
  readonly hls: AssetFile
  readonly dash: AssetFile
  readonly licences: AssetFile
}

const script = "text/javascript; charset=utf-8"

const tagOf = (content: string): string => hash("sha256", content, "base64url").slice(0, 16)

const make = (stem: string, extension: string, contentType: string, content: string): AssetFile => {
  const tag = tagOf(content)
  return { name: `${stem}-${tag}.${extension}`, contentType, content, tag }
}

/** Seen from the sources and from what is compiled of them alike. */
const directory = fileURLToPath(new URL("../../src/players/browser/", import.meta.url))

const read = (...path: ReadonlyArray<string>): string => readFileSync(join(...path), "utf8")

/** Without the note where a debugger finds the sources: they are not served. */
const withoutMap = (code: string): string => code.replace(/\n\/\/# sourceMappingURL=\S+\s*$/, "\n")

/**
 * The modules of the player. They import each other, so that a name that hashed one alone would have to follow the order of
 * imports; they have one hash of all together.
 */
const modules = (): ReadonlyArray<AssetFile> => {
  const stems = readdirSync(directory)
    .filter((name) => name.endsWith(".js"))
    .map((name) => name.slice(0, -".js".length))
    .toSorted()
  const sources = stems.map((stem) => ({ stem, source: read(directory, `${stem}.js`) }))
  const tag = tagOf(sources.map(({ stem, source }) => `${stem}\n${source}`).join("\n"))
  return sources.map(({ stem, source }) => ({
    name: `${stem}-${tag}.js`,
    contentType: script,
    content: source.replace(/(\bfrom ")\.\/(\w+)\.js"/g, `$1./$2-${tag}.js"`),
    tag
  }))
}

let loaded: AssetFiles | undefined

/** The files; read once, when they are first asked for. */
export const load = (): AssetFiles => {
  if (loaded !== undefined) return loaded
  const require = createRequire(import.meta.url)
  const hls = require.resolve("hls.js/dist/hls.light.min.mjs")
  // Its package names the whole of dash.js only; what plays without encryption stands beside that.
  const dash = join(dirname(require.resolve("dashjs")), "../esm")

  const licences = make(
    "licences",
    "txt",
    "text/plain; charset=utf-8",
    Licences.text({
      apache: read(directory, "Apache-2.0.txt"),
      hls: read(dirname(hls), "../LICENSE"),
      dash: read(dash, "../../../LICENSE.md"),
      dashParts: read(dash, "dash.mediaplayer.min.js.LICENSE.txt")
    })
  )
  const library = (stem: string, banner: string, code: string) =>
    make(stem, "js", script, `/*! ${banner}. Licences: ./${licences.name} */\n${withoutMap(code)}`)

  const all = modules()
  const entry = all.find(({ name }) => name.startsWith("Player-"))
  if (entry === undefined) throw new Error("The player's script is not installed.")
  loaded = {
    script: entry,
    modules: all.filter((module) => module !== entry),
    style: make("Player", "css", "text/css; charset=utf-8", read(directory, "Player.css")),
    hls: library("hls", Licences.banners.hls, read(hls)),
    dash: library("dash", Licences.banners.dash, read(dash, "dash.mediaplayer.min.js")),
    licences
  }
  return loaded
}
