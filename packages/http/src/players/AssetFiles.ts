/**
 * The files that player pages load. Each name contains a hash of the content: browsers
 * cache a file permanently, and a new release has new names.
 */
import { hash } from "node:crypto"
import * as Licences from "./Licences.ts"
import * as PlayerSources from "./PlayerSources.ts"

export interface AssetFile {
  readonly name: string
  readonly contentType: string
  readonly content: string
  /** Hash of the content, without quotes. */
  readonly tag: string
}

export interface AssetFiles {
  readonly script: AssetFile
  /** The script of the page of a share. */
  readonly share: AssetFile
  readonly shareStyle: AssetFile
  /** The modules that the script imports. */
  readonly modules: ReadonlyArray<AssetFile>
  /** Those that the script of a share imports. */
  readonly shareModules: ReadonlyArray<AssetFile>
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

/** Removes the reference to the source map, which is not served. */
const withoutSourceMap = (code: string): string => code.replace(/\n\/\/# sourceMappingURL=\S+\s*$/, "\n")

/**
 * Makes the modules of the player. All have the same hash, of all their contents: they import each other by name, so that a
 * hash of one module alone would depend on the names of its imports.
 */
const makeModules = (sources: Readonly<Record<string, string>>): ReadonlyArray<AssetFile> => {
  const modules = Object.entries(sources)
  const tag = tagOf(modules.map(([stem, source]) => `${stem}\n${source}`).join("\n"))
  return modules.map(([stem, source]) => ({
    name: `${stem}-${tag}.js`,
    contentType: script,
    // All are served from one directory.
    content: source.replace(/(\bfrom ")\.\.?\/(?:\w+\/)?(\w+)\.js"/g, `$1./$2-${tag}.js"`),
    tag
  }))
}

/** Returns the modules that an entry imports, directly or not, without the entry. */
const importedBy = (entry: AssetFile, modules: ReadonlyArray<AssetFile>): ReadonlyArray<AssetFile> => {
  const byName = new Map(modules.map((module) => [module.name, module]))
  const found = new Set([entry])
  for (const { content } of found) {
    for (const [, name = ""] of content.matchAll(/\bfrom "\.\/([\w.-]+)"/g)) {
      const imported = byName.get(name)
      if (imported !== undefined) found.add(imported)
    }
  }
  return [...found].filter((module) => module !== entry)
}

let loaded: AssetFiles | undefined

/** Returns the files, which are made at the first call. */
export const load = (): AssetFiles => {
  if (loaded !== undefined) return loaded
  const sources = PlayerSources.read()
  const licences = make("licences", "txt", "text/plain; charset=utf-8", Licences.text(sources.licences))
  const library = (stem: string, banner: string, code: string) =>
    make(stem, "js", script, `/*! ${banner}. Licences: ./${licences.name} */\n${withoutSourceMap(code)}`)

  const modules = makeModules(sources.modules)
  const entry = modules.find(({ name }) => name.startsWith("Player-"))
  const share = modules.find(({ name }) => name.startsWith("SharePage-"))
  if (entry === undefined || share === undefined) throw new Error("The script of a page is not installed.")
  loaded = {
    script: entry,
    share,
    shareStyle: make("SharePage", "css", "text/css; charset=utf-8", sources.shareStyle),
    modules: importedBy(entry, modules),
    shareModules: importedBy(share, modules),
    style: make("Player", "css", "text/css; charset=utf-8", sources.style),
    hls: library("hls", Licences.banners.hls, sources.hls),
    dash: library("dash", Licences.banners.dash, sources.dash),
    licences
  }
  return loaded
}
