/**
 * The page of all settings, made from the table that the service itself reads.
 */
import * as Path from "node:path"
import * as ConfigReference from "../packages/http/src/server/config/ConfigReference.ts"
import * as Packages from "./Packages.ts"

export const path = Path.join(Packages.root, "docs/configuration.md")

const introduction = `# Settings

<!-- Written by \`pnpm reference\` from packages/http/src/server/ConfigSettings.ts. Change that, not this page. -->

A setting is looked for on the command line of \`holdfast serve\`, then in the environment, then in the configuration file;
the first place that has it counts. A variable that is empty counts as absent. Secrets have no option on the command line,
since other users of the machine see the arguments of a process.

The configuration file is one JSON object, with the names of the column "File":

\`\`\`json
{ "port": 9000, "dataDir": "/var/lib/holdfast", "corsOrigins": ["https://app.example.com"] }
\`\`\`

Wrong settings are all named at once, and nothing is started; the exit code is 2 then.
`

/** What the page should be. */
export const text = (): string => `${introduction}\n${ConfigReference.markdown()}`
