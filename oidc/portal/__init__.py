"""The developer portal: invited developers register clients, and see what goes wrong there.

They sign in with this very provider, of which the portal is an ordinary relying party. It works
without scripts. A developer sees clients of one's own and nothing of anybody else's.
"""
