import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as CommandFlags from "./CommandFlags.ts"
import * as StoreFlags from "./StoreFlags.ts"

const loadKeys = Effect.promise(() => import("./operator/Keys.ts"))

const create = Command.make(
  "create",
  {
    email: Flag.String("email").pipe(
      Flag.withDescription("E-mail address of the key's account. The account is created if it does not exist")
    ),
    name: Flag.String("name").pipe(Flag.withDescription("Name of the key"), Flag.withDefault("operator")),
    ...StoreFlags.flags
  },
  Effect.fnUntraced(function* ({ email, name, ...parsed }) {
    const config = yield* StoreFlags.loadConfig(parsed)
    const keys = yield* loadKeys
    yield* keys.create(config, { email, name })
  })
).pipe(Command.withDescription("Create an account key and print it. It is shown only once"))

const list = Command.make(
  "list",
  {
    json: CommandFlags.toggle("json", "Print one JSON object per line"),
    ...StoreFlags.flags
  },
  Effect.fnUntraced(function* ({ json, ...parsed }) {
    const config = yield* StoreFlags.loadDeployment(parsed)
    const keys = yield* loadKeys
    yield* keys.list(config, { json })
  })
).pipe(Command.withDescription("List account keys"))

const revoke = Command.make(
  "revoke",
  {
    id: Argument.String("id").pipe(Argument.withDescription("Id of the key, as `keys list` prints it")),
    ...StoreFlags.flags
  },
  Effect.fnUntraced(function* ({ id, ...parsed }) {
    const config = yield* StoreFlags.loadDeployment(parsed)
    const keys = yield* loadKeys
    yield* keys.revoke(config, id)
  })
).pipe(Command.withDescription("Revoke an account key permanently. Running services refuse it within one second"))

const generate = Command.make(
  "generate",
  {},
  Effect.fnUntraced(function* () {
    const keys = yield* loadKeys
    yield* keys.generate
  })
).pipe(Command.withDescription("Print a new key for HOLDFAST_ROOT_KEY. It is not stored"))

/** `holdfast keys` */
export const command = Command.make("keys").pipe(
  Command.withDescription("Manage account keys in the database. Works while a service runs"),
  Command.withSubcommands([create, list, revoke, generate])
)
