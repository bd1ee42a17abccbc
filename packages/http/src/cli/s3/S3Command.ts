import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as StoreFlags from "../StoreFlags.ts"

const load = Effect.promise(() => import("../operator/S3Credentials.ts"))

const tenant = Argument.String("tenant").pipe(Argument.withDescription("Id of the tenant, as `tenants` prints it"))
const token = Argument.String("token").pipe(Argument.withDescription("Id of the token, as `tokens` prints it"))

const make = (name: "create" | "revoke", description: string) =>
  Command.make(
    name,
    { tenant, token, ...StoreFlags.flags },
    Effect.fnUntraced(function* ({ tenant, token, ...parsed }) {
      const config = yield* StoreFlags.loadDeployment(parsed)
      yield* (yield* load)[name](config, { tenantId: tenant, tokenId: token })
    })
  ).pipe(Command.withDescription(description))

const credentials = Command.make("credentials").pipe(
  Command.withDescription("Manage the S3 credentials of a token"),
  Command.withSubcommands([
    make("create", "Create S3 credentials in place of former ones, and print them. They are shown only once"),
    make("revoke", "Revoke the S3 credentials of a token. Running services refuse them within one second")
  ])
)

/** `holdfast s3` */
export const command = Command.make("s3").pipe(
  Command.withDescription("Manage access by the S3 API. Works while a service runs"),
  Command.withSubcommands([credentials])
)
