import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as StoreFlags from "./StoreFlags.ts"

const operator = Effect.promise(() => import("./operator/Keys.ts"))

const create = Command.make(
  "create",
  {
    email: Flag.String("email").pipe(Flag.withDescription("Whose key; the account is made when there is none")),
    name: Flag.String("name").pipe(Flag.withDescription("What the key is called"), Flag.withDefault("operator")),
    ...StoreFlags.flags
  },
  Effect.fnUntraced(function* ({ email, name, ...given }) {
    const places = yield* StoreFlags.loadConfig(given)
    const keys = yield* operator
    yield* keys.create(places, { email, name })
  })
).pipe(Command.withDescription("Make an account key and print it. It is shown this once only"))

const list = Command.make(
  "list",
  {
    json: Flag.Boolean("json").pipe(Flag.withDescription("One JSON object a line"), Flag.withDefault(false)),
    ...StoreFlags.flags
  },
  Effect.fnUntraced(function* ({ json, ...given }) {
    const places = yield* StoreFlags.loadConfig(given)
    const keys = yield* operator
    yield* keys.list(places, json)
  })
).pipe(Command.withDescription("List account keys"))

const revoke = Command.make(
  "revoke",
  {
    id: Argument.String("id").pipe(Argument.withDescription("The key's id, as `keys list` shows it")),
    ...StoreFlags.flags
  },
  Effect.fnUntraced(function* ({ id, ...given }) {
    const places = yield* StoreFlags.loadConfig(given)
    const keys = yield* operator
    yield* keys.revoke(places, id)
  })
).pipe(Command.withDescription("Revoke an account key for good; running services refuse it within a second"))

const generate = Command.make(
  "generate",
  {},
  Effect.fnUntraced(function* () {
    const keys = yield* operator
    yield* keys.generate
  })
).pipe(Command.withDescription("Print a fresh key that is stored nowhere, to be used as HOLDFAST_ROOT_KEY"))

/** `holdfast keys` */
export const command = Command.make("keys").pipe(
  Command.withDescription("Account keys, directly in the store: also while a service runs"),
  Command.withSubcommands([create, list, revoke, generate])
)
