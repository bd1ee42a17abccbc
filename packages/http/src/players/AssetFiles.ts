/**
 * The files that player pages load, read from where they are installed. Each name contains a hash of the content: browsers
 * cache a file permanently, and a new release has new names.
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
  /** Hash of the content, without quotes. */
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

/** The same directory for the sources and the compiled code. */
const directory = fileURLToPath(new URL("../../src/players/browser/", import.meta.url))

const read = (...path: ReadonlyArray<string>): string => readFileSync(join(...path), "utf8")

/** Removes the reference to the source map, which is not served. */
const withoutSourceMap = (code: string): string => code.replace(/\n\/\/# sourceMappingURL=\S+\s*$/, "\n")

/**
 * Reads the modules of the player. All have the same hash, of all their contents: they import each other by name, so that a
 * hash of one module alone would depend on the names of its imports.
 */
const readModules = (): ReadonlyArray<AssetFile> => {
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

/** Returns the files, which are read at the first call. */
export const load = (): AssetFiles => {
  if (loaded !== undefined) return loaded
  const require = createRequire(import.meta.url)
  const hls = require.resolve("hls.js/dist/hls.light.min.mjs")
  // The package's main entry is the complete dash.js. The build without encryption is in the directory beside it.
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
    make(stem, "js", script, `/*! ${banner}. Licences: ./${licences.name} */\n${withoutSourceMap(code)}`)

  const modules = readModules()
  const entry = modules.find(({ name }) => name.startsWith("Player-"))
  if (entry === undefined) throw new Error("The player's script is not installed.")
  loaded = {
    script: entry,
    modules: modules.filter((module) => module !== entry),
    style: make("Player", "css", "text/css; charset=utf-8", read(directory, "Player.css")),
    hls: library("hls", Licences.banners.hls, read(hls)),
    dash: library("dash", Licences.banners.dash, read(dash, "dash.mediaplayer.min.js")),
    licences
  }
  return loaded
}
