/**
 * Checks that pages name files that exist: the targets of relative links, with their anchors, and the source files in code spans.
 */
import * as Path from "node:path"
import * as Anchors from "./Anchors.ts"
import type { Finding } from "./Finding.ts"

interface Page {
  readonly path: string
  readonly text: string
}

/** The target of `[text](target)` and its fragment, without a title. */
const link = /\]\(([^)\s#]*)(?:#([^)\s]*))?[^)]*\)/g

/** A code span with a path of a source file, such as `core/src/files/File.ts`. Paths with placeholders do not count. */
const sourceSpan = /`([\w@./-]+\.(?:ts|mjs))`/g

const isExternal = (target: string): boolean => /^[a-z][a-z+.-]*:/i.test(target)

/**
 * Returns a finding for every link and every code span that leads to no file.
 *
 * @param paths All files of the workspace. A code span may leave out the first folders of a path.
 */
export const check = (pages: ReadonlyArray<Page>, paths: ReadonlyArray<string>): ReadonlyArray<Finding> => {
  const existing = new Set(paths.flatMap((path) => [path, ...parentsOf(path)]))
  const anchors = new Map(pages.map(({ path, text }) => [path, Anchors.inPage(text)]))
  return pages.flatMap(({ path, text }) =>
    text.split("\n").flatMap((content, index): ReadonlyArray<Finding> => {
      const links = [...content.matchAll(link)].flatMap(([, target = "", anchor]) => {
        if (isExternal(target)) return []
        const file = target === "" ? path : Path.posix.join(Path.posix.dirname(path), target)
        if (file !== path && !existing.has(file)) return [target]
        return anchor === undefined || anchors.get(file)?.has(anchor) !== false ? [] : [`${target}#${anchor}`]
      })
      const spans = [...content.matchAll(sourceSpan)].flatMap(([, span = ""]) =>
        paths.some((file) => `/${file}`.endsWith(Path.posix.join("/", span))) ? [] : [span]
      )
      return [...links, ...spans].map((target) => ({ path, line: index + 1, message: `${target} does not exist` }))
    })
  )
}

const parentsOf = (path: string): ReadonlyArray<string> => {
  const parent = Path.posix.dirname(path)
  return parent === "." ? [] : [parent, ...parentsOf(parent)]
}
