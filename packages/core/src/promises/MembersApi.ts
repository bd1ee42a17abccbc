/**
 * `holdfast.members`.
 */
import * as Effect from "effect/Effect"
import type * as Member from "../members/Member.ts"
import { Members } from "../members/Members.ts"
import type * as Page from "../Page.ts"
import type { ActorHandle } from "./Actors.ts"
import type { Call, InTenant } from "./Call.ts"
import * as Plain from "./Plain.ts"
import type { CallOptions } from "./Runner.ts"

export type MemberRecord = Plain.Plain<Member.Member>

/** Where a member is. */
export interface MemberInput extends InTenant {
  readonly memberId: string
}

export class MembersApi {
  readonly #call: Call

  constructor(call: Call) {
    this.#call = call
  }

  /** Adds a member by e-mail; an account is created when the address has none. Rejects with `MemberExists`. */
  add(actor: ActorHandle, input: InTenant & Member.AddMember, options?: CallOptions): Promise<MemberRecord> {
    return this.#call(actor, input, options, (as) =>
      Effect.map(
        Members.use((members) => members.add(as, input.tenantId, input)),
        Plain.fromCore
      )
    )
  }

  list(
    actor: ActorHandle,
    input: InTenant & Page.Request,
    options?: CallOptions
  ): Promise<Plain.Plain<Page.Page<Member.Member>>> {
    return this.#call(actor, input, options, (as) =>
      Effect.map(
        Members.use((members) => members.list(as, input.tenantId, input)),
        Plain.fromCore
      )
    )
  }

  get(actor: ActorHandle, input: MemberInput, options?: CallOptions): Promise<MemberRecord> {
    return this.#call(actor, input, options, (as) =>
      Effect.map(
        Members.use((members) => members.get(as, input.tenantId, input.memberId)),
        Plain.fromCore
      )
    )
  }

  /** Changes a member's role, from its next call on. Rejects with `LastAdmin`. */
  update(actor: ActorHandle, input: MemberInput & Member.UpdateMember, options?: CallOptions): Promise<MemberRecord> {
    return this.#call(actor, input, options, (as) =>
      Effect.map(
        Members.use((members) => members.update(as, input.tenantId, input.memberId, input)),
        Plain.fromCore
      )
    )
  }

  /** Removes a member with its tokens. Rejects with `LastAdmin`. */
  remove(actor: ActorHandle, input: MemberInput, options?: CallOptions): Promise<void> {
    return this.#call(actor, input, options, (as) =>
      Members.use((members) => members.remove(as, input.tenantId, input.memberId))
    )
  }
}
