/**
 * A person or a machine, found by e-mail. One account can be a member of many tenants.
 */
import * as Schema from "effect/Schema"

export const Account = Schema.Struct({ id: Schema.String, email: Schema.String }).annotate({ identifier: "Account" })
export type Account = typeof Account.Type
