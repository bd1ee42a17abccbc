/**
 * The READMEs of the packages, as they are published. A page of a package registry is not beside the files of the repository, so that
 * relative links lead nowhere there.
 */
import * as Fs from "node:fs"
import * as Path from "node:path"

/** The target of a link in Markdown, unless it is an address or an anchor of the same page. */
const target = /(?<=\]\()(?![a-z][a-z0-9+.-]*:|#|\/\/)[^)\s]+/gi

/**
 * Returns the text of a README with absolute links.
 *
 * @param repository The address of the repository, as in `https://example.com/group/holdfast`.
 * @param directory The directory of the package, relative to the root of the repository.
 */
export const withAbsoluteLinks = (text: string, repository: string, directory: string): string => {
  const branch = `${repository}/blob/main/`
  return text.replaceAll(target, (link) => {
    const { href } = new URL(link, `${branch}${directory}/README.md`)
    if (!href.startsWith(branch)) throw new Error(`${directory}/README.md: ${link} is outside of the repository.`)
    return href
  })
}

/** Runs a function while the READMEs of packages have absolute links, and restores them when it ends, also by Ctrl+C. */
export const whileAbsolute = <A>(
  {
    directories,
    repository,
    root
  }: { readonly [name in "root" | "repository"]: string } & {
    readonly directories: ReadonlyArray<string>
  },
  run: () => A
): A => {
  const readmes = directories.map((directory) => {
    const file = Path.join(root, directory, "README.md")
    const text = Fs.readFileSync(file, "utf8")
    return { file, text, published: withAbsoluteLinks(text, repository, directory) }
  })
  // With a listener, the signal ends the program that `run` waits for, and not this one.
  const ignore = (): void => undefined
  process.on("SIGINT", ignore)
  try {
    for (const { file, published } of readmes) Fs.writeFileSync(file, published)
    return run()
  } finally {
    for (const { file, text } of readmes) Fs.writeFileSync(file, text)
    process.off("SIGINT", ignore)
  }
}
