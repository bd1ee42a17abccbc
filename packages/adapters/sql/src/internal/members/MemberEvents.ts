/**
 * The events of changes of members.
 */
import type { Action } from "@holdfast/core/events/Event"
import type { Member } from "@holdfast/core/members/Member"
import type { Change } from "../events/RecordEvent.ts"

/** Returns the event of a change of a member. The name of the target is the e-mail. */
export const memberEvent = (tenantId: string, action: Action, { id, role, status, user }: Member): Change => ({
  tenantId,
  action,
  target: { id, name: user.email },
  detail: { role: role.id, status }
})
