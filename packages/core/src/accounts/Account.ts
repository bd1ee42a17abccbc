/**
 * An account: a person or a machine with an e-mail address. One account can be a member of many tenants.
 */
import * as Schema from "effect/Schema"

export const Account = Schema.Struct({ id: Schema.String, email: Schema.String }).annotate({ identifier: "Account" })
export type Account = typeof Account.Type
