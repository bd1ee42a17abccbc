/**
 * Generates docs/configuration.md from the table of settings that the service itself reads.
 */
import * as Path from "node:path"
import * as ConfigReference from "../../../packages/http/src/server/config/ConfigReference.ts"
import * as Packages from "../Packages.ts"

export const path = Path.join(Packages.root, "docs/configuration.md")

const introduction = `# Settings

<!-- Written by \`pnpm reference\` from packages/http/src/server/config/SettingTable.ts. Change that file, not this page. -->

\`holdfast serve\` reads each setting from its command line, then from the environment, then from the configuration file, and
uses the first value that it finds. An empty variable counts as unset. The service logs a warning for
each other variable whose name begins with \`HOLDFAST_\`. Secrets have no option on the command line, since
other users of the machine can see the arguments of a process.

The configuration file is one JSON object. Its members have the names in the column "File". \`HOLDFAST_CONFIG\` or \`--config\`
is its path:

\`\`\`json
{ "port": 9000, "dataDir": "/var/lib/holdfast", "corsOrigins": ["https://app.example.com"] }
\`\`\`

When settings are invalid, the service names all of them on standard error and exits with code 2. It has not opened or
created anything by then.
`

/** Returns the content of the page. */
export const text = (): string => `${introduction}\n${ConfigReference.markdownTable()}`
