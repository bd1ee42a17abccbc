import type { Fault } from "@holdfast/core/Errors"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as CommandFlags from "./CommandFlags.ts"
import { UsageError } from "./Failure.ts"
import * as StoreFlags from "./StoreFlags.ts"

const loadQuota = Effect.promise(() => import("./operator/Quota.ts"))

const tenant = Argument.String("tenant").pipe(Argument.withDescription("Id of the tenant"))

const get = Command.make(
  "get",
  { tenant, json: CommandFlags.json, ...StoreFlags.flags },
  Effect.fnUntraced(function* ({ json, tenant, ...parsed }) {
    const config = yield* StoreFlags.loadDeployment(parsed)
    const quota = yield* loadQuota
    yield* quota.get(config, { tenantId: tenant, json })
  })
).pipe(Command.withDescription("Print the limits of a tenant and what it uses"))

const limits = {
  bytes: CommandFlags.text("bytes", "Bytes of contents, streams and running uploads, such as 500MB or 5GiB"),
  files: CommandFlags.text("files", "Files"),
  buckets: CommandFlags.text("buckets", "Buckets"),
  members: CommandFlags.text("members", "Members, invited ones included"),
  tokens: CommandFlags.text("tokens", "Tokens that are neither revoked nor expired"),
  tokensPerMember: CommandFlags.text("tokens-per-member", "Such tokens of one member"),
  mirrors: CommandFlags.text("mirrors", "Mirrors"),
  webhooks: CommandFlags.text("webhooks", "Webhooks"),
  shares: CommandFlags.text("shares", "Shares that have not expired"),
  headersPerFile: CommandFlags.text("headers-per-file", "Headers of one file"),
  conversions: CommandFlags.text("conversions", "Conversions that wait or run")
}

/** Names the option of a fault: `/tokensPerMember` is `--tokens-per-member`. */
const toLine = ({ detail, pointer }: Fault): string =>
  `--${pointer.slice(1).replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)} ${detail}`

const set = Command.make(
  "set",
  { tenant, limits, json: CommandFlags.json, ...StoreFlags.flags },
  Effect.fnUntraced(function* ({ json, limits, tenant, ...parsed }) {
    const config = yield* StoreFlags.loadDeployment(parsed)
    const quota = yield* loadQuota
    yield* Effect.catchTag(
      quota.set(config, { tenantId: tenant, texts: limits, json }),
      "InvalidRequest",
      ({ errors }) => new UsageError({ message: errors.map(toLine).join("; ") })
    )
  })
).pipe(
  Command.withDescription(
    "Set limits of a tenant: a number, none for no limit, or default for that of the settings. Running services follow within one second"
  )
)

/** `holdfast quota` */
export const command = Command.make("quota").pipe(
  Command.withDescription("Show and set the limits of a tenant. Works while a service runs"),
  Command.withSubcommands([get, set])
)
