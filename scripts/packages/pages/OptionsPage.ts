/**
 * Generates docs/options.md from the declarations of the options of `open` and their comments.
 */
import * as Fs from "node:fs"
import * as Path from "node:path"
import ts from "typescript-api"
import * as Packages from "../Packages.ts"

export const path = Path.join(Packages.root, "docs/options.md")

const program = Fs.readFileSync(Path.join(Packages.root, "examples/library/src/background.ts"), "utf8")

/** The call of `open` in the program. */
const example = /^await using [^]*?\n\}\)$/m.exec(program)?.[0]
if (example === undefined) throw new Error("examples/library/src/background.ts has no call of open().")

const introduction = `# Options of the library

<!-- Written by \`pnpm reference\` from the options of \`open\` in packages/core/src. Change their comments, not this page. -->

\`open\` of \`@holdfast/core\` takes the adapters of a deployment, its secrets, and what its process does beside calls:

\`\`\`ts
${example}
\`\`\`

The whole program is [\`examples/library/src/background.ts\`](../examples/library/src/background.ts). \`open\` rejects with \`InvalidRequest\`
when an option is not valid or not known, and names each one; the functions of adapters, such as \`fs()\`, throw the same error for theirs. A
duration is a text such as \`"5 minutes"\`, or a number of milliseconds. The README of each adapter has the options of the adapter, and
[mounting](mounting.md#options) those of a mount. For \`holdfast serve\`, see [settings](configuration.md).

## The secret key

Mirrors to clouds, webhooks, S3 credentials, and links that stay valid after a restart need a secret key: 32 random bytes. Create it once, and
keep it where the other secrets of your program are, apart from the database and its backups:

\`\`\`sh
export HOLDFAST_SECRET_KEY=$(node -p 'crypto.randomBytes(32).toString("base64")')
\`\`\`

Pass the same key at every start and in every process of the deployment, also in a \`holdfast serve\` that has the same database. Without the
key, stored credentials cannot be read again. To change it, pass the new one as \`secretKey\` and the former one in \`formerSecretKeys\`: stored secrets
are encrypted with the new key when they are next used. Links and playback keys of the former key end, unless \`signingSecret\` signs them.

## Logs

An open Holdfast prints warnings and errors of its workers to the console. \`log: "info"\` prints more and \`log: "off"\` nothing. To send entries to
your own log, pass a function. For a logger that takes objects, such as winston:

\`\`\`ts
await using holdfast = await open({
  ...adapters,
  log: ({ level, message, fields, error }) => logger.log({ ...fields, level, message, error })
})
\`\`\`

An entry has \`level\`, \`at\`, \`message\`, \`fields\` (such as \`mirrorId\` and \`reason\`) and, after failures, \`error\`: the errors with their stacks, as a
text. API keys, and keys of links and streams, are masked in all of them.
`

interface Property {
  readonly name: string
  readonly type: string
  readonly isRequired: boolean
  /** The text of the comment in one line. */
  readonly comment: string
}

/** The names of types in declarations, where readers need another one. */
const typeNames: ReadonlyArray<readonly [pattern: RegExp, name: string]> = [
  [/ \| undefined$/g, ""],
  [/\bDuration\.(?:Input|Duration)\b/g, "duration"],
  [/\bVideoLines\b/g, "1080 | 1440 | 2160"],
  [/\bRate\b/g, "{ requests, window }"],
  [/\bReadonlyArray<(\w+)>/g, "$1[]"]
]

const commentOf = (node: ts.Node): string =>
  ts
    .getJSDocCommentsAndTags(node)
    .map(({ comment }) => ts.getTextOfJSDocComment(comment) ?? "")
    .join(" ")
    .replaceAll(/\s+/g, " ")

const parse = (module: string): ts.SourceFile => {
  const file = Path.join(Packages.root, "packages/core/src", module)
  return ts.createSourceFile(file, Fs.readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true)
}

/** Returns the properties of an interface in a module of core. */
const propertiesOf = (module: string, name: string): ReadonlyArray<Property> => {
  const declaration = parse(module).statements.find(
    (statement) => ts.isInterfaceDeclaration(statement) && statement.name.text === name
  )
  if (declaration === undefined || !ts.isInterfaceDeclaration(declaration)) throw new Error(`${module} has no ${name}.`)
  return declaration.members.flatMap((member) => {
    if (!ts.isPropertySignature(member) || member.type === undefined) return []
    const comment = commentOf(member)
    if (comment === "") throw new Error(`${module}: ${name}.${member.name.getText()} has no comment.`)
    return [
      {
        name: member.name.getText(),
        type: typeNames.reduce((text, [pattern, other]) => text.replaceAll(pattern, other), member.type.getText()),
        isRequired: member.questionToken === undefined,
        comment
      }
    ]
  })
}

/** Returns an expression with durations as programs write them: `"5 minutes"`. */
const toText = (expression: string): string =>
  `\`${expression.replaceAll(/\bDuration\.(\w+?)s?\((\d+)\)/g, (_, unit: string, count: string) => {
    return `"${count} ${unit}${count === "1" ? "" : "s"}"`
  })}\``

/** Returns the expressions of the defaults by name, and those of limits as `quota.<name>`. */
const readDefaults = (): ReadonlyMap<string, string> => {
  const found = new Map<string, string>()
  const add = (object: ts.Expression | undefined, prefix: string): void => {
    if (object === undefined || !ts.isObjectLiteralExpression(object)) throw new Error("The defaults are no object.")
    for (const property of object.properties) {
      if (!ts.isPropertyAssignment(property)) throw new Error(`${property.getText()} is no default.`)
      const name = prefix + property.name.getText()
      if (name === "quota") add(property.initializer, "quota.")
      else found.set(name, toText(property.initializer.getText()))
    }
  }
  const declarations = parse("Settings.ts").statements.flatMap((statement) =>
    ts.isVariableStatement(statement) ? statement.declarationList.declarations : []
  )
  add(declarations.find(({ name }) => name.getText() === "defaults")?.initializer, "")
  return found
}

type Row = readonly [name: string, type: string, fallback: string, meaning: string]

/** The last sentences of a comment, which state the default. */
const defaultSentence = / ?\bDefault: (.+?)\.(?= |$)/

const optionRow = ({ comment, isRequired, name, type }: Property): Row => {
  const [, fallback = isRequired ? "required" : "–"] = defaultSentence.exec(comment) ?? []
  return [name, type, fallback, comment.replace(defaultSentence, "").trim()]
}

const defaults = readDefaults()

const settingRow =
  (prefix: string) =>
  ({ comment, name, type }: Property): Row => [name, type, defaults.get(prefix + name) ?? "–", comment]

const table = (head: string, rows: ReadonlyArray<Row>): string => {
  const line = (cells: ReadonlyArray<string>): string =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`
  const heads = [head, "Value", "Default", "Meaning"]
  const cells = rows.map(([name, type, fallback, meaning]) => [`\`${name}\``, `\`${type}\``, fallback, meaning])
  return [heads, heads.map(() => "---"), ...cells].map(line).join("\n").concat("\n")
}

const settings = propertiesOf("Settings.ts", "Settings").filter(({ name }) => name !== "quota")

const sections: ReadonlyArray<readonly [heading: string, text: string, table: string]> = [
  [
    "Options",
    "",
    table("Option", propertiesOf("promises/internal/options/OpenOptions.ts", "OpenOptions").map(optionRow))
  ],
  [
    "Hooks",
    "The members of `hooks`. [Hooks](hooks.md) has examples.",
    table("Member", propertiesOf("promises/Hooks.ts", "Hooks").map(optionRow))
  ],
  [
    "Settings",
    "The members of `settings`. Set those that differ from the defaults.",
    table("Setting", settings.map(settingRow("")))
  ],
  [
    "Limits of tenants",
    "The members of `settings.quota`. `holdfast.quotas` sets a limit for one tenant: [limits](limits.md#quotas).",
    table("Limit", propertiesOf("Settings.ts", "Quota").map(settingRow("quota.")))
  ]
]

/** Returns the content of the page. */
export const text = (): string =>
  [
    introduction,
    ...sections.map(([heading, text, rows]) => `## ${heading}\n\n${text === "" ? "" : `${text}\n\n`}${rows}`)
  ].join("\n")
