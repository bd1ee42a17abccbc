/**
 * Arguments of bubblewrap, which runs a program in namespaces of its own: it sees no network, no other process and no file
 * but those that it needs.
 *
 * The program stays in the process group of bubblewrap, so that the group can be stopped. It needs no session of its own:
 * bubblewrap is started without a terminal.
 */
import * as Fs from "node:fs"
import * as Path from "node:path"

export interface Sandboxed {
  /** Absolute path of the program. */
  readonly program: string
  /** Paths of files and directories that the program may read. */
  readonly readable: ReadonlyArray<string>
  /** The working directory, in which the program may write. */
  readonly directory: string
}

/** Directories of the system's programs and libraries. Some systems have links to directories in `/usr` instead. */
const systemDirectories = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store"]

/** Files that the dynamic linker reads. Debian's links to alternative libraries are in `/etc/alternatives`. */
const linkerFiles = ["/etc/ld.so.cache", "/etc/alternatives"]

const devices = ["/dev/null", "/dev/zero", "/dev/urandom"]

const linkTarget = (path: string): string | undefined => {
  try {
    return Fs.readlinkSync(path)
  } catch {
    return undefined
  }
}

const bindSystem = systemDirectories.flatMap((path) => {
  const target = linkTarget(path)
  return target === undefined ? ["--ro-bind-try", path, path] : ["--symlink", target, path]
})

const isInSystem = (path: string): boolean =>
  systemDirectories.some((directory) => path === directory || path.startsWith(`${directory}/`))

const ancestors = (path: string): ReadonlyArray<string> => {
  const parent = Path.dirname(path)
  return parent === path || parent === "/" ? [] : [...ancestors(parent), parent]
}

/** A program and its libraries, where they are outside the directories of the system. */
const programPaths = (program: string): ReadonlyArray<string> => {
  const files = [program, Fs.realpathSync(program)]
  const libraries = files
    .map((path) => Path.dirname(path))
    .flatMap((directory) => (Path.basename(directory) === "bin" ? [Path.join(directory, "../lib")] : []))
  const configured = (process.env["LD_LIBRARY_PATH"] ?? "").split(Path.delimiter)
  return [...new Set([...files, ...libraries, ...configured])].filter(
    (path) => Path.isAbsolute(path) && !isInSystem(path)
  )
}

/** Makes the directories above the paths. bubblewrap would make them readable by its own user only. */
const makeDirectories = (paths: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...new Set(paths.flatMap(ancestors))]
    .filter((path) => !isInSystem(path))
    .toSorted((a, b) => a.length - b.length)
    .flatMap((path) => ["--perms", "0755", "--dir", path])

/** Returns the arguments before the program. `capabilities` are kept; only root can keep some. */
export const bubblewrapArguments = (
  { directory, program, readable }: Sandboxed,
  capabilities: ReadonlyArray<string>
): ReadonlyArray<string> => {
  const programs = programPaths(program)
  return [
    // As root, bubblewrap needs no user namespace, and could not change the user in one.
    ...(process.getuid?.() === 0 ? [] : ["--unshare-user"]),
    "--unshare-ipc",
    "--unshare-pid",
    "--unshare-net",
    "--unshare-uts",
    "--unshare-cgroup-try",
    "--die-with-parent",
    "--as-pid-1",
    ...capabilities.flatMap((name) => ["--cap-add", name]),
    ...bindSystem,
    ...makeDirectories([...linkerFiles, ...devices, ...programs, ...readable, directory]),
    ...linkerFiles.flatMap((path) => ["--ro-bind-try", path, path]),
    ...devices.flatMap((path) => ["--dev-bind-try", path, path]),
    ...programs.flatMap((path) => ["--ro-bind-try", path, path]),
    ...readable.flatMap((path) => ["--ro-bind", path, path]),
    "--bind",
    directory,
    directory,
    // Otherwise the program could fill the memory by files in the root directory.
    "--remount-ro",
    "/",
    "--chdir",
    directory,
    "--"
  ]
}
