"""The part of ``thenar phone`` for an account, verified by a palm: its apps and its phones.

A palm alone makes a phone *new*: it may sign in. A *trusted* phone may also manage the account.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Final

import typer
from rich.markup import escape

from mobile_api.reference_phone.session import OwnPalm, open_phone, own_palm, print_line
from mobile_api.reference_phone.words import NOTICES, TRUST, TRUST_WAYS, waiting_time
from mobile_api.types import PhoneTrust

if TYPE_CHECKING:
    from mobile_api import account_messages as m

Handle = Annotated[str, typer.Argument(help="From `thenar phone phones` or `… status`.")]


def apps(context: typer.Context, palm: OwnPalm = None) -> None:
    """List the apps you have signed in to, each under a different identifier."""
    with open_phone(context) as phone:
        found = phone.account(own_palm(context, phone, palm)).connections
        for each in found:
            name = f"[bold]{escape(each.client_name)}[/bold] ({escape(each.client_host)})"
            print_line(f"{each.handle}  {name}, since {_day(each.since)}")
        if not found:
            print_line("No apps are connected.")


def withdraw(
    context: typer.Context,
    handle: Annotated[str, typer.Argument(help="From `thenar phone apps`.")],
    palm: OwnPalm = None,
) -> None:
    """Disconnect an app: it will no longer recognise you."""
    with open_phone(context) as phone:
        proof = phone.prove_palm(own_palm(context, phone, palm)).palm_proof
        left = phone.withdraw(handle, proof).connections
        print_line(f"Disconnected. {len(left)} left.")


def delete(
    context: typer.Context,
    palm: OwnPalm = None,
    *,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False,
) -> None:
    """Delete your account: all templates, devices and pseudonyms."""
    with open_phone(context) as phone:
        if not yes:
            typer.confirm("Delete your account permanently?", abort=True)
        phone.delete_account(own_palm(context, phone, palm))
        print_line("Deleted. No app will recognise you any more.")


def status(context: typer.Context) -> None:
    """Show whether your account trusts this phone, and which new phones ask for trust."""
    with open_phone(context) as phone:
        said = phone.standing()
        _print_standing(said)
        for each in said.notices:
            print_line(f"{_day(each.at)}: {NOTICES[each.kind]}")
        for request in said.requests:
            _print_request(request)


def trust(context: typer.Context, palm: OwnPalm = None) -> None:
    """Ask your account to trust this phone, or finish that after the waiting time."""
    with open_phone(context) as phone:
        _print_standing(phone.ask_trust(own_palm(context, phone, palm)))


def recover(
    context: typer.Context,
    code: Annotated[str, typer.Argument(help="The recovery code that you wrote down.")],
    palm: OwnPalm = None,
) -> None:
    """Make this phone trusted with your recovery code, if you have no trusted phone left."""
    with open_phone(context) as phone:
        proof = phone.prove_palm(own_palm(context, phone, palm)).palm_proof
        _print_standing(phone.recover(code, proof))


def phones(context: typer.Context, palm: OwnPalm = None) -> None:
    """List your account's phones and its last sign-ins."""
    with open_phone(context) as phone:
        shown = phone.account(own_palm(context, phone, palm))
        _print_phones(shown.phones)
        print_line("Last sign-ins:" if shown.sign_ins else "No sign-ins in the last 90 days.")
        for each in shown.sign_ins:
            _print_sign_in(each)


def approve(context: typer.Context, handle: Handle, palm: OwnPalm = None) -> None:
    """Trust a new phone that asks for it. Only if it is yours and in your hands."""
    with open_phone(context) as phone:
        proof = phone.prove_palm(own_palm(context, phone, palm)).palm_proof
        _print_phones(phone.approve_phone(handle, proof).phones)


def refuse(context: typer.Context, handle: Handle) -> None:
    """Refuse a new phone: it is removed from your account. Needs no palm."""
    with open_phone(context) as phone:
        phone.refuse_phone(handle)
        print_line("Refused. The phone no longer belongs to your account; its sign-ins ended.")


def remove(
    context: typer.Context,
    handle: Handle,
    palm: OwnPalm = None,
    *,
    end_sign_ins: Annotated[
        bool, typer.Option("--end-sign-ins", help="Also end what it signed in to.")
    ] = False,
) -> None:
    """Remove a phone from your account, for example a lost one."""
    with open_phone(context) as phone:
        proof = phone.prove_palm(own_palm(context, phone, palm)).palm_proof
        left = phone.remove_phone(handle, proof, end_sign_ins=end_sign_ins)
        print_line("Removed. If it was trusted, your recovery code ended: see recovery-code.")
        _print_phones(left.phones)


def recovery_code(context: typer.Context, palm: OwnPalm = None) -> None:
    """Get a new recovery code; an earlier one stops working."""
    with open_phone(context) as phone:
        code = phone.recovery_code(own_palm(context, phone, palm)).recovery_code
        print_line(f"Recovery code: [bold]{escape(code)}[/bold]")
        print_line(
            "Write it down: it cannot be shown again. If you lose this phone, it makes another"
            " one trusted: `thenar phone recover CODE --palm …`."
        )


COMMANDS: Final = (
    *(apps, withdraw, delete, status, trust, recover),
    *(phones, approve, refuse, remove, recovery_code),
)


def _print_standing(said: m.OwnPhoneMessage) -> None:
    print_line(TRUST[said.trust])
    if said.trust is not PhoneTrust.NEW:
        return
    print_line("To change that, run `thenar phone trust`, then do one of these:")
    for way in said.roads:
        print_line(TRUST_WAYS[way].format(number=said.number))
    if said.trusted_in == 0:
        print_line("The waiting time is over: run `thenar phone trust` again.")
    elif said.trusted_in is not None:
        wait = waiting_time(said.trusted_in)
        print_line(f"You can also run `thenar phone trust` again in {wait}.")


def _print_request(request: m.PhoneRequestMessage) -> None:
    due = ""
    if request.trusted_in is not None:
        due = (
            f" If you do nothing, it can become trusted in {waiting_time(request.trusted_in)}."
        )
    print_line(
        f"[yellow]{request.handle}[/yellow]  [bold]{escape(request.name)}[/bold], number"
        f" {request.number}, asks to be trusted, since {_day(request.asked_at)}.{due}"
    )


def _print_phones(found: list[m.PhoneMessage]) -> None:
    for each in found:
        marks = [each.trust.value, *(["asks to be trusted"] if each.waiting else [])]
        marks += ["this phone"] if each.is_this else []
        print_line(
            f"{each.handle}  [bold]{escape(each.name)}[/bold]: {', '.join(marks)};"
            f" since {_day(each.since)}, last used {_day(each.last_used)}"
        )


def _print_sign_in(each: m.SignInMessage) -> None:
    how = "with a trusted phone" if each.with_trusted_phone else "palm only"
    phone = "a removed phone" if each.phone is None else each.phone
    by = "at a station" if each.at_station else f"{escape(phone)}, {how}"
    print_line(
        f"{_day(each.at)}  {escape(each.client_name)} ({escape(each.client_host)}), {by}"
    )


def _day(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).date().isoformat()
