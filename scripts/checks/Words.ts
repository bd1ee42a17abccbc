/**
 * Checks that code, comments and pages use the words of the glossary in ARCHITECTURE.md instead of figures of speech.
 */
import type { Finding } from "./Finding.ts"

interface Rule {
  readonly pattern: RegExp
  readonly message: string
}

const rules: ReadonlyArray<Rule> = [
  { pattern: /\b(?:nobody|somebody|whoever)\b/gi, message: "name the subject: the client, the worker, the caller" },
  { pattern: /\b(?:tells|told)\b/gi, message: "use returns, reports, prints or sends" },
  { pattern: /\b(?:stands|standing)\b/gi, message: "use is, exists, means or current" },
  { pattern: /\bfor ever\b/gi, message: "use until interrupted, permanently or without limit" },
  { pattern: /\b(?:patience|hurry|hurries)\b/gi, message: "use timeout, limit or interval" },
  { pattern: /\bdoubts?\b/gi, message: "use unknown or abandon" },
  { pattern: /\bsettles?\b/gi, message: "use complete, fail or end" }
]

/** An occurrence that is allowed: a line of this file that contains this text. */
export interface Exception {
  readonly path: string
  readonly text: string
}

/** Each with a comment that says why the word is right in its place. At most ten: beyond that the rule is not kept. */
export const exceptions: ReadonlyArray<Exception> = [
  // The name of the user without privileges on Unix systems.
  { path: "packages/testing/src/servers/internal/SystemUser.ts", text: 'find("nobody")' }
]

/** Returns whether a file holds words of this project: its code and pages, but not this check and its test. */
export const isChecked = (path: string): boolean =>
  /\.(?:ts|js|mjs|css|html|md|sh)$|^\.ci\/run$/.test(path) &&
  !/(?:^|\/)CHANGELOG\.md$|^data\/|^scripts\/checks\/Words\.ts$|^scripts\/test\/Words\.test\.ts$/.test(path)

/** Returns a finding for every word that is to be avoided, and for every exception that no line needs any more. */
export const check = (
  sources: ReadonlyArray<{ readonly path: string; readonly text: string }>,
  allowed = exceptions
): ReadonlyArray<Finding> => {
  const unused = new Set(allowed)
  const findings = sources.flatMap(({ path, text }) =>
    text.split("\n").flatMap((content, index) =>
      rules.flatMap(({ message, pattern }) =>
        [...content.matchAll(pattern)].flatMap(([word]) => {
          const exception = allowed.find((entry) => entry.path === path && content.includes(entry.text))
          if (exception === undefined) return [{ path, line: index + 1, message: `"${word}": ${message}` }]
          unused.delete(exception)
          return []
        })
      )
    )
  )
  return [...findings, ...[...unused].map(({ path, text }) => ({ path, message: `exception not needed: ${text}` }))]
}
