/**
 * Generates docs/errors.md from the table of problems and from the contract of the API.
 */
import * as Path from "node:path"
import * as OpenApiDocument from "../../../packages/http/src/contract/OpenApiDocument.ts"
import { codes, entryOf, type ProblemCode } from "../../../packages/http/src/problems/ProblemTable.ts"
import * as Packages from "../Packages.ts"
import { help } from "./ErrorHelp.ts"

export const path = Path.join(Packages.root, "docs/errors.md")

const introduction = `# Errors

<!-- Written by \`pnpm reference\` from packages/http/src/problems/ProblemTable.ts, the contract and scripts/packages/pages/ErrorHelp.ts. -->

Every error of the API is a problem document (RFC 9457) of the type \`application/problem+json\`:

\`\`\`json
{
  "type": "urn:holdfast:problem:file_exists",
  "title": "The file exists",
  "status": 409,
  "detail": "The bucket already has a file with this path and name.",
  "code": "file_exists",
  "requestId": "req_01932c07209d7f3a",
  "existingId": "fil_01932c07-209d-7f3a-8c5e-1f2a3b4c5d6e"
}
\`\`\`

Decide by \`code\`: codes do not change, while \`detail\` is a sentence for people. \`requestId\` is in the log of the service, too. An
error without a \`code\` is not of the service but of a proxy in front of it: see [troubleshooting](troubleshooting.md).

The library rejects with classes that have the same \`code\`, and \`@holdfast/client\` with a \`HoldfastError\`. Some codes are of
the program alone:

| code                | of                  | meaning                                                                                     |
| ------------------- | ------------------- | ------------------------------------------------------------------------------------------- |
| \`aborted\`           | library and client  | your \`signal\` ended the call                                                                |
| \`source_failed\`     | library and client  | the content to upload could not be read; \`cause\` is the error of its source                 |
| \`closed\`            | library             | the Holdfast was closed                                                                     |
| \`network_error\`     | client              | no response arrived, and whether the call took effect is unknown                            |
| \`unexpected_answer\` | client              | the response is not of the service, but for example of a proxy                              |

The service ignores unknown fields of a body. Where an optional field limits a right, a misspelt one would give the right without
the limit, so that the answer is \`invalid_request\` with the pointer of the unknown field:

- links, upload links, shares, playback keys, webhooks, the \`scope\` of a token and the rules for shares of a bucket refuse every unknown field;
- tokens and buckets refuse those that resemble an optional field, such as \`scopes\` or \`allowed_types\`.

The library ignores unknown fields of an input, such as those of a record that is passed where a reference suffices, except those that
resemble an optional field: they differ from it by one or two letters, are a part of it, or begin with the same word, as \`maxViews\` and
\`maxDownloads\` do. It refuses every unknown field of a \`scope\` and of the rules for shares, as the service does. The service is stricter
where a whole body gives a right, because no compiler has checked the names in JSON.

An **operation** below is the id of an operation in the API reference (\`/docs\` of the service); \`buckets.*\` means all operations
of a group.
`

interface Operation {
  readonly id: string
  readonly codes: ReadonlySet<string>
}

const operations: ReadonlyArray<Operation> = Object.values(OpenApiDocument.make().paths).flatMap((item) =>
  Object.values(item).flatMap((one) =>
    "operationId" in one
      ? [
          {
            id: one.operationId,
            codes: new Set([...JSON.stringify(one.responses).matchAll(/Problem_(\w+)"/g)].map(([, code = ""]) => code))
          }
        ]
      : []
  )
)

const groupOf = ({ id }: Operation): string => id.slice(0, id.indexOf("."))

/** Returns the operations with this code as one phrase, whole groups of operations as `group.*`. */
const operationsWith = (code: ProblemCode): string => {
  const those = operations.filter((one) => one.codes.has(code))
  if (those.length === 0) return "paths of the API, whatever the operation"
  if (those.length === operations.length) return "every one"
  const names = [...Map.groupBy(those, groupOf)].flatMap(([group, members]) =>
    members.length > 1 && members.length === operations.filter((one) => groupOf(one) === group).length
      ? [`${group}.*`]
      : members.map(({ id }) => id)
  )
  return names.map((name) => `\`${name}\``).join(", ")
}

const section = (code: ProblemCode): string => {
  const { extension, status, title } = entryOf(code)
  const { meaning, remedy } = help[code]
  return [
    `## ${code}`,
    `**${status}** ${title}. ${meaning}`,
    `- **What to do:** ${remedy}`,
    ...(extension === undefined ? [] : [`- **Has in addition:** \`${extension}\``]),
    `- **Operations:** ${operationsWith(code)}`
  ].join("\n")
}

/** Returns the content of the page. */
export const text = (): string =>
  `${introduction}\n${codes.map((code) => section(code).replace("\n", "\n\n").replace("\n- ", "\n\n- ")).join("\n\n")}\n`
