"""The command line: one file a command. `main` is the console script."""


def main() -> None:
    """Run `trimtab` with the process's arguments; exits."""
    from trimtab.cli.root import trimtab

    trimtab.main(prog_name="trimtab")
