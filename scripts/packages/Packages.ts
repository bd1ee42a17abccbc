/**
 * The published packages of the workspace: their directories, how to compile them and how to pack them.
 */
import { execFile } from "node:child_process"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import * as ClientBundle from "./ClientBundle.ts"
import * as PlayerModule from "./PlayerModule.ts"
import * as ProgramBundle from "./ProgramBundle.ts"
import * as ThreadModule from "./ThreadModule.ts"

/** The root directory of the workspace. */
export const root = fileURLToPath(new URL("../..", import.meta.url))

const execute = promisify(execFile)

/** Returns the path of a program that the workspace depends on, such as `tsc`. */
export const bin = (name: string): string => Path.join(root, "node_modules/.bin", name)

/** Runs a program and returns its standard output. Throws an error with all of its output when the exit status is not 0. */
export const run = async (program: string, args: ReadonlyArray<string>, cwd = root): Promise<string> => {
  const output = execute(program, args, { cwd, encoding: "utf8", maxBuffer: 16 * 1024 * 1024 })
  const { stdout } = await output.catch((error: Error & { readonly stdout?: string; readonly stderr?: string }) => {
    throw new Error(`${[program, ...args].join(" ")}\n${error.stdout ?? ""}${error.stderr ?? ""}`, { cause: error })
  })
  return stdout
}

/** The directories of the packages, relative to the root. */
export const directories: ReadonlyArray<string> = ["packages", "packages/adapters"]
  .flatMap((parent) => Fs.readdirSync(Path.join(root, parent)).map((name) => `${parent}/${name}`))
  .filter((directory) => Fs.existsSync(Path.join(root, directory, "package.json")))

/** Returns the modules of a package, as paths below `src` without extension. */
export const modules = (directory: string): ReadonlyArray<string> =>
  Fs.readdirSync(Path.join(root, directory, "src"), { encoding: "utf8", recursive: true })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => file.slice(0, -3).replaceAll("\\", "/"))

/** Removes compiled modules whose source was removed: the compiler leaves them, and they would be published. */
const removeStale = (directory: string): void => {
  const [source, output] = [Path.join(root, directory, "src"), Path.join(root, directory, "dist")]
  if (!Fs.existsSync(output)) return
  for (const file of Fs.readdirSync(output, { encoding: "utf8", recursive: true })) {
    const [, module] = /^(.*?)(?:\.d\.ts|\.js)(?:\.map)?$/.exec(file) ?? []
    if (module !== undefined && !Fs.existsSync(Path.join(source, `${module}.ts`))) Fs.rmSync(Path.join(output, file))
  }
}

/** Returns the name of the package in a directory. */
const nameIn = (directory: string): string =>
  (JSON.parse(Fs.readFileSync(Path.join(root, directory, "package.json"), "utf8")) as { readonly name: string }).name

/** Compiles every package into its `dist`. */
export const build = async (): Promise<void> => {
  for (const directory of directories) removeStale(directory)
  await run(bin("tsc"), ["-b", ...directories])
  await PlayerModule.write(root)
  await ThreadModule.write(root)
  await ProgramBundle.write(
    root,
    new Map(directories.map((directory) => [nameIn(directory), Path.join(root, directory)]))
  )
  await ClientBundle.write(root)
}

/** Returns the name of the package in a tarball. */
export const nameOf = (tarball: string): string =>
  Path.basename(tarball).replace(/^holdfast-(.+?)-\d+\.\d+\.\d+.*$/, "@holdfast/$1")

/** Packs every package as it would be published and returns the paths of the tarballs. Needs a build first. */
export const pack = async (destination: string): Promise<ReadonlyArray<string>> => {
  await run(bin("pnpm"), ["-r", "--filter", "./packages/**", "pack", "--pack-destination", destination])
  return Fs.readdirSync(destination).map((name) => Path.join(destination, name))
}
