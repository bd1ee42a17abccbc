/**
 * Builds the assets of player pages into the compiled package: writes the module that replaces `players/PlayerSources.ts`.
 */
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import * as PlayerSources from "../../packages/http/src/players/PlayerSources.ts"

/** @param root The root directory of the workspace, whose packages are compiled. */
export const write = async (root: string): Promise<void> => {
  const path = Path.join(root, "packages/http/dist/players/PlayerSources.js")
  // A function, so that importing the module does not create a megabyte of texts.
  await Fs.writeFile(path, `export const read = () => (${JSON.stringify(PlayerSources.read())})\n`)
  await Fs.rm(`${path}.map`, { force: true })
}
