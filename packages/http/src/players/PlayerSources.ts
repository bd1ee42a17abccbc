/**
 * The texts that the assets of player pages consist of. This module reads them from the sources and from the packages of the
 * libraries, for development. The build replaces it by a module that contains them, so that the published package needs
 * neither the libraries nor files beside its code, which a bundler would not find.
 */
import { readdirSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { basename, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

export interface PlayerSources {
  /** The modules of the pages, by name without extension. In the published package, each page is one module. */
  readonly modules: Readonly<Record<string, string>>
  readonly style: string
  /** The style of the page of a share. */
  readonly shareStyle: string
  readonly hls: string
  readonly dash: string
  readonly licences: {
    readonly apache: string
    readonly hls: string
    readonly dash: string
    /** The licences of the libraries that dash.js contains. */
    readonly dashParts: string
  }
}

/** Below the directory; the names of modules are unique in all. */
const controls = "controls"
const host = "host"
const share = "share"

/** The same directory for the sources and the bundle of the tests. */
const directory = fileURLToPath(new URL("../../src/players/browser/", import.meta.url))

const text = (...path: ReadonlyArray<string>): string => readFileSync(join(...path), "utf8")

export const read = (): PlayerSources => {
  const require = createRequire(import.meta.url)
  const hls = require.resolve("hls.js/dist/hls.min.mjs")
  // The package's main entry is the complete dash.js. The build without encryption is in the directory beside it.
  const dash = join(dirname(require.resolve("dashjs")), "../esm")
  const scripts = [
    ...readdirSync(directory),
    ...[controls, host, share].flatMap((folder) =>
      readdirSync(join(directory, folder)).map((name) => join(folder, name))
    )
  ]
  return {
    modules: Object.fromEntries(
      scripts
        .filter((name) => name.endsWith(".js"))
        .toSorted()
        .map((name) => [basename(name, ".js"), text(directory, name)])
    ),
    // Rules of a theme are in no layer: they precede, whichever selectors the player uses.
    style: `@layer player {\n${text(directory, "Player.css")}${text(directory, controls, "Controls.css")}${text(directory, controls, "Cover.css")}}\n`,
    shareStyle: text(directory, "SharePage.css"),
    hls: text(hls),
    dash: text(dash, "dash.mediaplayer.min.js"),
    licences: {
      apache: text(directory, "Apache-2.0.txt"),
      hls: text(dirname(hls), "../LICENSE"),
      dash: text(dash, "../../../LICENSE.md"),
      dashParts: text(dash, "dash.mediaplayer.min.js.LICENSE.txt")
    }
  }
}
